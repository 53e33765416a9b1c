"""Every estimator at its defaults, on many small tasks, beside its peers at their defaults and tuned."""
