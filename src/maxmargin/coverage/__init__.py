"""Documents as sets of words and of subtopics, of which a chosen few should cover as much as possible."""

from maxmargin.coverage.subtopics import Subtopics, pack_subtopics, subtopic_losses

__all__ = ["Subtopics", "pack_subtopics", "subtopic_losses"]
