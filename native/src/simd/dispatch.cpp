#include <cstdlib>
#include <string_view>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

const Kernels& choose() {
  const char* wanted = std::getenv("MAXMARGIN_ISA");
  if (wanted != nullptr && std::string_view(wanted) == "baseline") return kBaselineKernels;
#if defined(MAXMARGIN_HAS_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace maxmargin
