"""Sets of templates that are known to work well."""

from __future__ import annotations

from collections.abc import Callable

from maxmargin.features.templates import Templates, flags, lower, prefixes, shape, suffixes, window


def chunking_templates(word: int = 0, pos: int = 1) -> Templates:
    """The 19 attributes of CRFsuite's tutorial on the chunks of CoNLL 2000.

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


READY: dict[str, Callable[[], Templates]] = {"chunking": chunking_templates, "tagging": tagging_templates}
"""The sets by name, as ``SequenceVectorizer`` and the command line take them."""
