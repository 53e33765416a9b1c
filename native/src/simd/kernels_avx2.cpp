// Compiled with AVX2 and FMA enabled; reached only after the processor said that it has both.
#define MAXMARGIN_TABLE kAvx2Kernels
#define MAXMARGIN_ISA_NAME "avx2"
#include "kernels.inl"
