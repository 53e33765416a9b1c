"""From tokens to numbers: attributes of tokens, templates that make them, and the vectoriser that numbers them."""

from maxmargin.chains.features.template_sets import (
    TEMPLATE_SETS,
    chunking_templates,
    entity_templates,
    tagging_templates,
)
from maxmargin.chains.features.template_text import parse_templates
from maxmargin.chains.features.templates import (
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
from maxmargin.chains.features.vectorizer import SequenceVectorizer

__all__ = [
    "TEMPLATE_SETS",
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
