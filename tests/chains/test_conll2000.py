"""The attributes of CoNLL 2000, from the data itself."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from maxmargin import SequenceVectorizer
from maxmargin.chains.features import chunking_templates
from maxmargin.datasets import load_conll2000
from plain_features import tutorial_attributes


@pytest.mark.slow
@pytest.mark.skipif("MAXMARGIN_DATA" not in os.environ, reason="MAXMARGIN_DATA does not name a folder of data sets")
def test_conll2000_has_the_attributes_of_the_tutorial():
    train, test = load_conll2000("train"), load_conll2000("test")
    columns = SimpleNamespace(train=[[t[:2] for t in s] for s in train[0]], test=[[t[:2] for t in s] for s in test[0]])
    vectorizer = SequenceVectorizer(templates=chunking_templates())
    packed = vectorizer.fit_transform(columns.train)
    assert (len(packed), packed.tokens, packed.n_features) == (8936, 211727, 335672)
    assert packed.values is None
    strings = [tutorial_attributes(s) for s in columns.train]
    plain = SequenceVectorizer()
    other = plain.fit_transform(strings)
    assert np.array_equal(other.indices, packed.indices)
    assert np.array_equal(other.indptr, packed.indptr)
    assert plain.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()
    assert len(np.unique(np.concatenate(train[1]))) == 22
    assert vectorizer.transform(columns.test).tokens == 47377
