"""Label sequences: estimators, the features of tokens, packed sequences, file formats, and a look at the weights."""

from maxmargin.chains.crf import ChainCRF
from maxmargin.chains.features import SequenceVectorizer
from maxmargin.chains.hmm import ChainHMM
from maxmargin.chains.perceptron import ChainPerceptron
from maxmargin.chains.sequences import Sequences
from maxmargin.chains.svc import ChainSVC

__all__ = ["ChainCRF", "ChainHMM", "ChainPerceptron", "ChainSVC", "SequenceVectorizer", "Sequences"]
