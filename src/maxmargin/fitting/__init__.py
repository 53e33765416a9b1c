"""The one way from an estimator's parameters to a solution, and from there to model files and back."""
