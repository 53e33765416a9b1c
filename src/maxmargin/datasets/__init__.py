"""Data to learn from: generators that need nothing, and readers of a local folder."""

from maxmargin.datasets.alignments import Homologs, load_balifam, make_homologs
from maxmargin.datasets.dependency_trees import load_ud_ewt_trees, make_dependency_trees
from maxmargin.datasets.documents import make_documents
from maxmargin.datasets.entities import load_conll2002, load_litbank
from maxmargin.datasets.generators import make_chain, make_multiclass
from maxmargin.datasets.hierarchical import load_imclef07a
from maxmargin.datasets.local import MissingDataError, data_file
from maxmargin.datasets.multilabel import LabelledTable, load_multilabel
from maxmargin.datasets.newsgroup_sets import load_newsgroup_sets
from maxmargin.datasets.rankings import load_mq2008, make_ranking
from maxmargin.datasets.sentences import make_sentences
from maxmargin.datasets.sequences import load_ocr_letters
from maxmargin.datasets.subtopics import make_subtopics
from maxmargin.datasets.tables import load_covtype, load_mnist, load_optdigits, load_uci_letter
from maxmargin.datasets.tagged import load_conll2000, load_ud_ewt
from maxmargin.datasets.taxonomies import make_taxonomy
from maxmargin.datasets.text import load_newsgroups20, load_reuters21578
from maxmargin.datasets.treebank import load_treebank, make_treebank

__all__ = [
    "Homologs",
    "LabelledTable",
    "MissingDataError",
    "data_file",
    "load_balifam",
    "load_conll2000",
    "load_conll2002",
    "load_covtype",
    "load_imclef07a",
    "load_litbank",
    "load_mnist",
    "load_mq2008",
    "load_multilabel",
    "load_newsgroup_sets",
    "load_newsgroups20",
    "load_ocr_letters",
    "load_optdigits",
    "load_reuters21578",
    "load_treebank",
    "load_uci_letter",
    "load_ud_ewt",
    "load_ud_ewt_trees",
    "make_chain",
    "make_dependency_trees",
    "make_documents",
    "make_homologs",
    "make_multiclass",
    "make_ranking",
    "make_sentences",
    "make_subtopics",
    "make_taxonomy",
    "make_treebank",
]
