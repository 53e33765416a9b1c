"""What runs in threads is done as well where the system has none left."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from maxmargin.programs import Topology, queries
from maxmargin.programs.batches import sums_of_all

topology = Topology([0, 0, 1, 1, 2], [-1, -1, 0, 0, 1])
scores = np.random.default_rng(0).standard_normal((64, 5))
with open("/proc/self/status") as status:
    size = next(int(line.split()[1]) for line in status if line.startswith("VmSize"))
limit = 1024 * size + 2**22  # the stack of a thread takes 8 MB
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
found = sums_of_all([topology] * 64, scores.ravel(), n_jobs=32)
for row, sums in zip(scores, found, strict=True):
    assert sums.log_partition == queries.sums(topology, row).log_partition
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space by what Linux says of its size")
def test_a_thread_that_cannot_be_made():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "done"), ended.stderr
