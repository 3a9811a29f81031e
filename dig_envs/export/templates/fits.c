/* Whether this processor has what the library was compiled for. */
#if defined(_WIN32)
#define SEEN __declspec(dllexport)
#else
#define SEEN __attribute__((visibility("default")))
#endif

SEEN int dig_fits(void);

#if defined(__x86_64__)
#include <cpuid.h>

#define ALL(word, bits) (((word) & (bits)) == (bits))

/* x86-64-v3 as the psABI defines it; the operating system has to keep the registers, too. */
SEEN int dig_fits(void) {
  const unsigned first = bit_SSE3 | bit_SSSE3 | bit_FMA | bit_CMPXCHG16B | bit_SSE41 | bit_SSE42 |
                         bit_MOVBE | bit_POPCNT | bit_OSXSAVE | bit_AVX | bit_F16C;
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !ALL(c, first)) return 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if (!ALL(low, 6u)) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !ALL(b, bit_BMI | bit_AVX2 | bit_BMI2)) return 0;
  return __get_cpuid(0x80000001u, &a, &b, &c, &d) && ALL(c, bit_LAHF_LM | bit_ABM);
}
#else
SEEN int dig_fits(void) { return 1; }
#endif
