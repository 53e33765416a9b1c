"""What a model of label sequences has learned: its strongest weights, and why a token has its label."""

from maxmargin.chains.inspection.explanation import Contribution, Explanation
from maxmargin.chains.inspection.weights import FeatureWeight, TransitionWeight, WeightTable

__all__ = ["Contribution", "Explanation", "FeatureWeight", "TransitionWeight", "WeightTable"]
