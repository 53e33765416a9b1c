"""All estimators at their defaults on many small tasks, beside peers at their defaults and tuned by cross validation.

A third of the tasks, drawn by their names, is held out: choose no default by them. They run with --held-out only, and
are reported apart. Peers run once and are stored; results are in benchmarks/results/defaults.

    python benchmarks/defaults/run.py [--only digits] [--family chains] [--ours | --stored | --new] [--held-out]
        [--check] [--json FILE] [--write docs/defaults.md]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from defaults.program import main  # noqa: E402

if __name__ == "__main__":
    main(__doc__)
