#define MAXMARGIN_TABLE kBaselineKernels
#define MAXMARGIN_ISA_NAME "baseline"
#include "kernels.inl"
