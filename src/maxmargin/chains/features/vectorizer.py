"""The vectoriser of sequences of tokens."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.chains.features.evaluation import Rows, apply_templates
from maxmargin.chains.features.template_sets import TEMPLATE_SETS
from maxmargin.chains.features.template_text import parse_templates
from maxmargin.chains.features.templates import Template, Templates
from maxmargin.chains.sequences.packed import Sequences

Offsets: TypeAlias = npt.NDArray[np.int64]
_MOST_HASHED = 1 << 30


class SequenceVectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """Numbers the attributes of tokens: from lists of sequences to ``Sequences``.

    A sequence is a list of tokens. A token is one of

    * a list, tuple or set of strings, each an attribute of value 1; one that comes twice has the value 2;
    * a dict: ``{"length": 3.5}`` is the attribute ``length`` of that value, ``{"shape": "Xx"}`` the attribute
      ``shape=Xx`` of value 1, ``{"tags": ["A", "B"]}`` two such, ``True`` is 1; zeros and ``False`` are nothing at all;
    * with ``templates``, a string, or a tuple or list of strings, the columns that the templates speak of.

    Columns are numbered in the order in which attributes are first seen in ``fit``, token by token (sets in sorted
    order). ``transform`` ignores attributes that ``fit`` did not see.

    Parameters
    ----------
    templates : ``Templates``; a ready set by name, ``'entities'`` for names, ``'tagging'`` for parts of speech,
        ``'chunking'`` for phrases; a text in the syntax of CRF++ (see ``parse_templates``); None for tokens that are
        attributes already
    min_count : attributes that occur in fewer tokens of ``fit`` are dropped
    hashing : None for a dictionary; a number of columns, a power of two, into which attributes are hashed: nothing is
        learned or stored, names cannot be told, and attributes that share a column add up
    dtype : of the values, float64 or float32, where they are not all 1

    Attributes
    ----------
    templates_ : ``Templates`` or None; ``templates_.transitions`` tells whether a chain is to weigh pairs of labels
    n_features_out_ : number of columns
    n_columns_ : with templates, how many columns of strings the tokens of ``fit`` had; else None
    """

    def __init__(
        self,
        *,
        templates: Templates | str | None = None,
        min_count: int = 1,
        hashing: int | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.templates = templates
        self.min_count = min_count
        self.hashing = hashing
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> SequenceVectorizer:
        """Learns the attributes of sequences; ``y`` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Sequences:
        """Learns the attributes of sequences and packs them, in one pass; ``y`` is ignored."""
        self._check_params()
        templates = self._templates()
        attributes, pairs = _core.Attributes(self.hashing or 0), _core.Attributes(self.hashing or 0)
        n_columns = None
        if templates is None:
            offsets, rows = attributes.read(_as_list(X), True)
        else:
            offsets, columns = _core.read_columns(_as_list(X))
            n_columns = len(columns)
            rows = apply_templates(templates.token_templates, offsets, columns, attributes, learn=True)
            if templates.pair_templates:
                found = apply_templates(templates.pair_templates, offsets, columns, pairs, learn=True)
                self._pruned(found, pairs)
        if len(offsets) > 1 and not offsets[-1]:
            raise ValueError("All sequences are empty; give at least one token to learn from.")
        packed = self._packed(offsets, self._pruned(rows, attributes), attributes)
        self.templates_, self.attributes_, self.pair_attributes_ = templates, attributes, pairs
        self.n_features_out_, self.n_columns_ = len(attributes), n_columns
        return packed

    def partial_fit(self, X: Any, y: Any = None) -> SequenceVectorizer:
        """Learns further attributes, which get the next columns; ``y`` is ignored."""
        if not hasattr(self, "attributes_"):
            return self.fit(X)
        self._check_params()
        if self.min_count > 1:
            raise ValueError("min_count needs all data at once; for batches set min_count=1, or use hashing.")
        attributes, templates = self._fitted()
        if templates is None:
            attributes.read(_as_list(X), True)
        else:
            offsets, columns = self._columns(X)
            apply_templates(templates.token_templates, offsets, columns, attributes, learn=True)
            if templates.pair_templates:
                apply_templates(templates.pair_templates, offsets, columns, self.pair_attributes_, learn=True)
        self.n_features_out_ = len(attributes)
        return self

    def transform(self, X: Any) -> Sequences:
        """Packs sequences; attributes that ``fit`` did not see are ignored."""
        attributes, templates = self._fitted()
        if templates is None:
            offsets, rows = attributes.read(_as_list(X), False)
            return self._packed(offsets, rows, attributes)
        return self._applied(X, templates.token_templates, attributes)

    def transform_pairs(self, X: Any) -> Sequences:
        """The attributes of the templates for pairs of labels (``B01:%x[0,0]``), with columns of their own.

        Those of token t belong to the labels of tokens t - 1 and t; the first token of a sequence has them too, and no
        label before it.
        """
        _, templates = self._fitted()
        if templates is None or not templates.pair_templates:
            raise ValueError(
                "There are no templates for pairs of labels; give templates with a line such as 'B01:%x[0,0]'."
            )
        return self._applied(X, templates.pair_templates, self.pair_attributes_)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The attributes in the order of their columns, an array of strings; ``input_features`` is ignored."""
        return self._names("attributes_")

    def get_pair_names_out(self) -> npt.NDArray[Any]:
        """The attributes of ``transform_pairs`` in the order of their columns."""
        return self._names("pair_attributes_")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "attributes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.dict = True
        return tags

    def _fitted(self) -> tuple[_core.Attributes, Templates | None]:
        check_is_fitted(self)
        return self.attributes_, self.templates_

    def _names(self, which: str) -> npt.NDArray[Any]:
        check_is_fitted(self)
        if self.hashing is not None:
            raise ValueError("Hashed attributes have no names; use a dictionary, hashing=None.")
        return np.array(getattr(self, which).names(), dtype=object)

    def _applied(self, X: Any, templates: tuple[Template, ...], attributes: _core.Attributes) -> Sequences:
        offsets, columns = self._columns(X)
        return self._packed(offsets, apply_templates(templates, offsets, columns, attributes, learn=False), attributes)

    def _columns(self, X: Any) -> tuple[Offsets, Any]:
        offsets, columns = _core.read_columns(_as_list(X))
        if columns and len(columns) != self.n_columns_:
            raise ValueError(
                f"The tokens have {len(columns)} columns, but those that the templates were fitted to had "
                f"{self.n_columns_}; give the same columns, without labels."
            )
        return offsets, columns

    def _packed(self, offsets: Offsets, rows: Any, attributes: _core.Attributes) -> Sequences:
        indptr, indices, values = rows
        as_asked = None if values is None else values.astype(self.dtype, copy=False)
        return Sequences(offsets, indptr, indices, as_asked, len(attributes))

    def _pruned(self, rows: Rows, attributes: _core.Attributes) -> Rows:
        """Drops what is rarer than ``min_count`` from the rows and from the dictionary."""
        if self.hashing is not None or self.min_count <= 1:
            attributes.shrink()
            return rows
        indptr, indices, values = rows
        kept = np.bincount(indices, minlength=len(attributes)) >= self.min_count
        if not kept.any():
            raise ValueError(f"No attribute occurs in min_count={self.min_count} tokens; lower min_count.")
        attributes.keep(kept.view(np.uint8))
        stays = kept[indices]
        ends = np.concatenate([[0], np.cumsum(stays)])
        new_number = (np.cumsum(kept) - 1).astype(np.int32)
        return ends[indptr], new_number[indices[stays]], None if values is None else values[stays]

    def _templates(self) -> Templates | None:
        if self.templates is None or isinstance(self.templates, Templates):
            return self.templates
        if isinstance(self.templates, str):
            if self.templates.isidentifier() and self.templates not in TEMPLATE_SETS and self.templates[0] not in "UB":
                raise ValueError(
                    f"templates={self.templates!r} is not the name of a ready set ({', '.join(TEMPLATE_SETS)}), "
                    "nor a text in the syntax of CRF++."
                )
            return (
                TEMPLATE_SETS[self.templates]() if self.templates in TEMPLATE_SETS else parse_templates(self.templates)
            )
        raise ValueError(
            f"templates must be Templates, {', '.join(map(repr, TEMPLATE_SETS))}, or a text in the syntax of CRF++, "
            f"not {type(self.templates).__name__}."
        )

    def _check_params(self) -> None:
        if isinstance(self.min_count, bool) or not isinstance(self.min_count, int | np.integer) or self.min_count < 1:
            raise ValueError(f"min_count must be a whole number of at least 1, not {self.min_count!r}.")
        if np.dtype(self.dtype) not in (np.float32, np.float64):
            raise ValueError(f"dtype must be float64 or float32, not {self.dtype!r}.")
        if self.hashing is None:
            return
        size = self.hashing
        if not isinstance(size, int | np.integer) or not 2 <= size <= _MOST_HASHED or int(size).bit_count() != 1:
            raise ValueError(f"hashing must be a power of two from 2 to {_MOST_HASHED}, or None, not {size!r}.")
        if self.min_count > 1:
            raise ValueError("min_count needs a dictionary; set hashing=None or min_count=1.")


def _as_list(X: Any) -> Any:
    if isinstance(X, str | bytes | dict | Sequences) or not hasattr(X, "__iter__"):
        raise ValueError(f"X must be a list of sequences, each a list of tokens, not {type(X).__name__}.")
    return X
