#include <cstdlib>
#include <string_view>

#include "maxmargin/simd/kernels.hpp"

namespace maxmargin {
namespace {

Kernels choose() {
  const char* asked = std::getenv("MAXMARGIN_ISA");
  const std::string_view most = asked == nullptr ? "" : asked;
  if (most == "baseline") return kBaselineKernels;
#if defined(MAXMARGIN_HAS_AVX2)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return kBaselineKernels;
  Kernels found = kAvx2Kernels;
  if (most != "avx2" && __builtin_cpu_supports("avx512f")) use_avx512(found);
  return found;
#else
  return kBaselineKernels;
#endif
}

}  // namespace

const Kernels& kernels() {
  static const Kernels chosen = choose();
  return chosen;
}

}  // namespace maxmargin
