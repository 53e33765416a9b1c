"""From tokens to numbers: attributes of tokens, templates that make them, and the vectoriser that numbers them; and
from descriptions of classes to numbers."""

from maxmargin.features.described import DescribedClasses
from maxmargin.features.ready import READY, chunking_templates, entity_templates, tagging_templates
from maxmargin.features.template_text import parse_templates
from maxmargin.features.templates import (
    Field,
    Template,
    Templates,
    changed,
    flags,
    lower,
    prefixes,
    shape,
    suffixes,
    window,
)
from maxmargin.features.vectorizer import SequenceVectorizer

__all__ = [
    "READY",
    "DescribedClasses",
    "Field",
    "SequenceVectorizer",
    "Template",
    "Templates",
    "changed",
    "chunking_templates",
    "entity_templates",
    "flags",
    "lower",
    "parse_templates",
    "prefixes",
    "shape",
    "suffixes",
    "tagging_templates",
    "window",
]
