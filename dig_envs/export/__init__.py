"""Games without Python: WebAssembly and C libraries, made from the compiled rules; the README of
this folder explains them."""
