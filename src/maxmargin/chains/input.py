"""What a chain estimator makes of the sequences it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.chains.chain import ChainInput
from maxmargin.chains.features.vectorizer import SequenceVectorizer
from maxmargin.chains.sequences.packed import SequenceError, Sequences
from maxmargin.chains.sequences.packing import is_frame, pack
from maxmargin.chains.sequences.windows import widen
from maxmargin.core.input_checks import check_room


def is_text(X: Any, otherwise: bool = False, columns: bool = False) -> bool:
    """Whether tokens are strings, dicts or collections of strings, rather than rows of numbers.

    ``otherwise`` is the answer where all tokens are empty lists. A matrix of strings is text only where its rows are
    known to be ``columns`` for templates: else it may be numbers that were read as text.
    """
    if isinstance(X, Sequences | ChainInput) or sp.issparse(X) or not hasattr(X, "__len__"):
        return False
    for sequence in X:
        is_series = hasattr(sequence, "tolist") and getattr(sequence, "ndim", 0) == 1
        if not isinstance(sequence, list | tuple | np.ndarray) and not is_series:
            return False
        if isinstance(sequence, np.ndarray) and sequence.dtype.kind in "biuf":
            return False
        for token in sequence:
            if isinstance(token, str | dict | set | frozenset):
                return True
            if not isinstance(token, list | tuple) and not (columns and isinstance(token, np.ndarray)):
                return False
            if len(token):  # a token without attributes tells nothing
                return isinstance(token[0], str)
    return otherwise


def check_sequences(X: Any) -> None:
    """Raises for what people give for a list of sequences by mistake."""
    if isinstance(X, Sequences | ChainInput) or sp.issparse(X):
        return
    if isinstance(X, str | bytes | dict) or not hasattr(X, "__len__"):
        raise ValueError(f"X must be a list of sequences, each a list of tokens, not {type(X).__name__}.")
    if is_frame(X):
        raise ValueError(
            f"X is one data frame of {len(X)} rows, not a list of sequences; with features in its columns pass "
            "lengths= to say how many rows belong to each sequence, with words give lists of them, such as "
            "[part['word'] for _, part in X.groupby('sentence')]."
        )
    for i, sequence in enumerate(X):
        if isinstance(sequence, str | bytes):
            text = repr(sequence if len(sequence) <= 40 else sequence[:40])
            raise SequenceError(
                f"Sequence {i} is the string {text}, not a list of tokens. X is a list of sequences: split strings "
                "into tokens, and give a single sequence x as [x].",
                i,
            )


class InputReader:
    """Turns what people have into packed sequences, the same way in ``fit`` and in ``predict``.

    ``vectorizer`` is the vectoriser for tokens that are text, or None where they are rows of numbers.
    """

    def __init__(self, vectorizer: SequenceVectorizer | None, window: int) -> None:
        self.vectorizer, self.window = vectorizer, window

    def learn(self, X: Any, lengths: Any) -> ChainInput:
        """Reads training data; numbers the attributes of text."""
        given = self._learnt(X, lengths)
        given.tokens.check_squares()
        check_room(given.tokens.n_features)
        return given

    def _learnt(self, X: Any, lengths: Any) -> ChainInput:
        if lengths is None:
            check_sequences(X)
        if self.vectorizer is None or not is_text(X, columns=self.vectorizer.templates is not None):
            self.vectorizer = None
            return self._numbers(X, lengths)
        self._no_lengths(lengths)
        tokens = self.vectorizer.fit_transform(X)
        return self._with_pairs(X, tokens)

    def learn_more(self, X: Any, lengths: Any) -> ChainInput:
        """Reads further training data; attributes of text that are new get the next numbers."""
        given = self.read(X, lengths)
        if self.vectorizer is None:
            return given
        return self._with_pairs(X, self.vectorizer.partial_fit(X).transform(X))

    def read(self, X: Any, lengths: Any = None, columns: int | None = None) -> ChainInput:
        """Reads data to predict; ``columns`` is the number of features that the model has of each token."""
        if lengths is None:
            check_sequences(X)
        if self.vectorizer is None:
            if is_text(X):
                raise ValueError("The model was trained on rows of numbers, but the tokens of X are text.")
            return self._numbers(X, lengths, None if columns is None else columns // (2 * self.window + 1))
        if not is_text(X, otherwise=True, columns=self.vectorizer.templates_ is not None):
            raise ValueError("The model was trained on tokens of text; give X in the same form.")
        self._no_lengths(lengths)
        return self._with_pairs(X, self.vectorizer.transform(X))

    def _numbers(self, X: Any, lengths: Any, columns: int | None = None) -> ChainInput:
        if isinstance(X, ChainInput):
            if lengths is not None:
                raise ValueError("X is packed already and has its own lengths; leave lengths out.")
            return ChainInput(widen(X.tokens, self.window), X.pairs)
        return ChainInput(widen(pack(X, lengths, if_empty=columns), self.window))

    def _with_pairs(self, X: Any, tokens: Sequences) -> ChainInput:
        assert self.vectorizer is not None
        templates = self.vectorizer.templates_
        pairs = self.vectorizer.transform_pairs(X) if templates is not None and templates.pair_templates else None
        return ChainInput(widen(tokens, self.window), pairs)

    def _no_lengths(self, lengths: Any) -> None:
        if lengths is not None:
            raise ValueError("lengths belong to one matrix of all tokens; X is a list of sequences, leave them out.")
