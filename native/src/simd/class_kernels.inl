// The few numbers of a multiclass block, without branches: which class comes next cannot be foreseen. Part of kernels.inl.

// 0, 1, 2, ... as numbers of the type of the values, so that one comparison selects both.
inline Doubles first_places() {
  constexpr double kPlaces[] = {0.0, 1.0, 2.0, 3.0};
  return load<Doubles>(kPlaces);
}

// The largest of the numbers seen, a vector at a time, and its place.
struct Largest {
  Doubles value, place;

  void see(Doubles numbers, Doubles places) {
    place = if_greater(numbers, value, places, place);
    value = larger(numbers, value);
  }
  int where(double& best) const {
    double values[kLanes<double>], places[kLanes<double>];
    store(values, value);
    store(places, place);
    best = values[0];
    double at = places[0];
    for (int v = 1; v < kLanes<double>; ++v) {
      at = values[v] > best ? places[v] : at;
      best = values[v] > best ? values[v] : best;
    }
    return static_cast<int>(at);
  }
};

template <class Real>
int plane_values(const Real* scores, const double* margin, const double* scale, double charge, int truth, int stride, double* out) {
  const Doubles own = fill<Doubles>(static_cast<double>(scores[truth])), charged = fill<Doubles>(charge);
  const Doubles mine = fill<Doubles>(static_cast<double>(truth)), zero = fill<Doubles>(0.0), width = fill<Doubles>(static_cast<double>(kLanes<double>));
  Doubles places = first_places();
  Largest largest{zero, mine};
  for (int k = 0; k < stride; k += kLanes<double>) {
    double widened[kLanes<double>];
    for (int v = 0; v < kLanes<double>; ++v) widened[v] = static_cast<double>(scores[k + v]);
    Doubles value = load<Doubles>(margin + k) - load<Doubles>(scale + k) * (own - load<Doubles>(widened)) - charged;
    value = if_greater(places, mine, value, if_greater(mine, places, value, zero));  // the truth's is zero
    store(out + k, value);
    largest.see(value, places);
    places += width;
  }
  double best;
  return largest.where(best);
}

Extremes extremes(const double* gradient, const double* alpha, int stride) {
  constexpr double kNever = -1.7976931348623157e308;
  const Doubles never = fill<Doubles>(kNever), zero = fill<Doubles>(0.0), width = fill<Doubles>(static_cast<double>(kLanes<double>));
  Doubles places = first_places();
  Largest highest{never, zero}, lowest{never, zero};
  for (int k = 0; k < stride; k += kLanes<double>) {
    const Doubles numbers = load<Doubles>(gradient + k);
    highest.see(numbers, places);
    lowest.see(if_greater(load<Doubles>(alpha + k), zero, zero - numbers, never), places);
    places += width;
  }
  Extremes found;
  double negative;
  found.up = highest.where(found.highest);
  found.down = lowest.where(negative);
  found.lowest = -negative;
  if (negative == kNever) found.down = -1;
  return found;
}
