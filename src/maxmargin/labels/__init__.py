"""Label vectors: any number of labels per row."""

from maxmargin.labels.multilabel_svc import MultilabelSVC

__all__ = ["MultilabelSVC"]
