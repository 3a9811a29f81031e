"""The memory of arrays that compiled code makes, in LLVM's language."""

# In place of Numba's counting of references, which is written for the processor at hand: the same
# counts in the same memory (count, destructor, what it is told, data, size). A block belongs to one
# thread: it is made and given back within one call.
MEMORY = """
declare ptr @TAKE(i64, i32)
declare void @GIVE_BACK(ptr)
define void @NRT_incref(ptr %block) alwaysinline {
start:
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %end, label %count
count:
  %old = load i64, ptr %block
  %new = add i64 %old, 1
  store i64 %new, ptr %block
  br label %end
end:
  ret void
}
define void @NRT_decref(ptr %block) alwaysinline {
start:
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %end, label %count
count:
  %old = load i64, ptr %block
  %new = sub i64 %old, 1
  store i64 %new, ptr %block
  %unused = icmp eq i64 %new, 0
  br i1 %unused, label %free, label %end
free:
  call void @GIVE_BACK(ptr %block)
  br label %end
end:
  ret void
}
define ptr @NRT_MemInfo_data_fast(ptr %block) alwaysinline {
  %place = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %block, i64 0, i32 3
  %data = load ptr, ptr %place
  ret ptr %data
}
define ptr @NRT_Allocate(i64 %size) alwaysinline {
  %block = call ptr @TAKE(i64 %size, i32 1)
  ret ptr %block
}
define void @NRT_Free(ptr %block) alwaysinline {
  call void @GIVE_BACK(ptr %block)
  ret void
}
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) alwaysinline {
  %block = call ptr @TAKE(i64 %size, i32 %align)
  ret ptr %block
}
"""
# the two functions that this calls, by those of C
OF_C = """
declare ptr @malloc(i64)
declare void @free(ptr)
define void @GIVE_BACK(ptr %block) {
  call void @free(ptr %block)
  ret void
}
define ptr @TAKE(i64 %size, i32 %align) {
start:
  %wide = zext i32 %align to i64
  %head = add i64 %size, 40
  %all = add i64 %head, %wide
  %block = call ptr @malloc(i64 %all)
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %end, label %fill
fill:
  %first = ptrtoint ptr %block to i64
  %behind = add i64 %first, 39
  %last = add i64 %behind, %wide
  %mask = sub i64 0, %wide
  %data = and i64 %last, %mask
  %started = insertvalue [5 x i64] [i64 1, i64 0, i64 0, i64 0, i64 0], i64 %data, 3
  %all_set = insertvalue [5 x i64] %started, i64 %size, 4
  store [5 x i64] %all_set, ptr %block
  br label %end
end:
  ret ptr %block
}
"""
HERE = MEMORY[MEMORY.index("define") :] + OF_C
