"""Complaints that know which sequence, and which of its tokens, they are about."""

from __future__ import annotations


class SequenceError(ValueError):
    """Something is wrong with a sequence, or with one of its tokens, given by their positions from 0.

    Who knows from which line of a file they came can say that as well.
    """

    def __init__(self, text: str, sequence: int = 0, token: int | None = None) -> None:
        super().__init__(text)
        self.sequence, self.token = sequence, token
