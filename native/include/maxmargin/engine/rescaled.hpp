// What a formulation makes of an output other than the truth: the plane (scale psi, b).
#pragma once

namespace maxmargin {

struct Rescaled {
  double b = 0.0, scale = 0.0;
};

}  // namespace maxmargin
