"""All estimators at their defaults on many small tasks, beside peers at their defaults and tuned by cross validation.

Choose defaults by the open tasks only. A third of the tasks, drawn by their names, is held out, and the newest list of
tasks as a whole; they run with --held-out and --fresh only, and are reported apart. Peers run once and are stored;
--retime measures the seconds of the fastest again at the stored settings. Results are in benchmarks/results/defaults.

    python benchmarks/defaults/run.py [--only digits] [--family chains] [--ours | --stored | --peers] [--new]
        [--held-out] [--fresh] [--retime] [--check] [--json FILE] [--write docs/defaults_measured.md]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # names of modules start at benchmarks/
    from defaults.program import main

    main(__doc__)
