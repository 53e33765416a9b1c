"""Semi-Markov and dependency spaces against torch-struct, by the code of the benchmark."""

import numpy as np
import pytest

from programs.rivals import CLOSE, differences, prepare, projective_trees, segments, semi_markov


@pytest.mark.bench
@pytest.mark.parametrize("make", [semi_markov, segments, projective_trees])
def test_best_scores_log_partitions_and_marginals_equal_those_of_torch_struct(make):
    pytest.importorskip("torch_struct", reason="torch-struct is not installed; it comes with the extra bench")
    prepare()
    assert max(differences(make(np.random.default_rng(0), 8))) <= CLOSE
