"""Sets of templates that are known to work well."""

from __future__ import annotations

from collections.abc import Callable

from maxmargin.chains.features.string_functions import Shape
from maxmargin.chains.features.templates import (
    Field,
    Template,
    Templates,
    flags,
    lower,
    prefixes,
    shape,
    suffixes,
    window,
)


def chunking_templates(word: int = 0, pos: int = 1) -> Templates:
    """The 19 attributes of CRFsuite's tutorial on the chunks of CoNLL 2000: for phrases, not for names.

    For names use ``entity_templates``, which look inside of words.

    Words two before to two after, pairs of words with the one before and the one after, tags of parts of speech in the
    same window, and all pairs and triples of neighbouring tags in it.

    Parameters
    ----------
    word, pos : the columns of the words and of their tags
    """
    wide = range(-2, 3)
    return (
        window(word, wide, name="w")
        + window(word, range(-1, 2), together=2, name="w")
        + window(pos, wide, name="pos")
        + window(pos, wide, together=2, name="pos")
        + window(pos, wide, together=3, name="pos")
    )


def tagging_templates(word: int = 0) -> Templates:
    """Attributes for parts of speech from the words alone.

    Words two before to two after, pairs of words with the one before and the one after, the word in lower case, its
    first and last 1 to 4 characters, its shape and that of its neighbours, and whether it has a digit, a hyphen, a
    capital at its start, or capitals only.

    Parameters
    ----------
    word : the column of the words
    """
    return (
        window(word, range(-2, 3), name="w")
        + window(word, range(-1, 2), together=2, name="w")
        + lower(word, name="w")
        + prefixes(4, word, name="w")
        + suffixes(4, word, name="w")
        + shape(word, -1, name="w")
        + shape(word, name="w")
        + shape(word, 1, name="w")
        + flags(("digit", "hyphen", "capital", "capitals"), word, name="w")
    )


def entity_templates(word: int = 0) -> Templates:
    """Attributes for the names of persons, places and organisations from the words alone.

    Those of ``tagging_templates``; the shapes of two and of three neighbouring words together, with marks at the ends
    of the sentence (a capital means less at the start); and the words up to four places before and after, whatever
    the place.

    Parameters
    ----------
    word : the column of the words
    """
    return (
        tagging_templates(word)
        + _shapes_together(word, 2)
        + _shapes_together(word, 3)
        + _anywhere(word, range(-4, 0), "before")
        + _anywhere(word, range(1, 5), "after")
    )


def _shapes_together(word: int, together: int) -> Templates:
    """The shapes of neighbouring words, the word itself among them: ``w[-1]|w[0]:shape=_B-1|Xx``."""
    templates = []
    for first in range(-1, 3 - together):
        offsets = range(first, first + together)
        parts: list[str | Field] = ["|".join(f"w[{offset}]" for offset in offsets) + ":shape="]
        for offset in offsets:
            parts += [Field(offset, word, Shape()), "|"]
        templates.append(Template(tuple(parts[:-1]), marks=True))
    return Templates(tuple(templates))


def _anywhere(word: int, offsets: range, where: str) -> Templates:
    """The words at some places, one attribute whichever place it is: ``w:before=the``."""
    return Templates(tuple(Template((f"w:{where}=", Field(offset, word))) for offset in offsets))


TEMPLATE_SETS: dict[str, Callable[[], Templates]] = {
    "chunking": chunking_templates,
    "tagging": tagging_templates,
    "entities": entity_templates,
}
"""The sets by name, as ``SequenceVectorizer`` and the command line take them."""
