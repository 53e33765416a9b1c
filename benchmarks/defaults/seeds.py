"""Ten seeds of every estimator on one task each: by how many points the score differs between them.

Only ``random_state`` changes; the data are those of the first split.

    python benchmarks/defaults/seeds.py [--seeds 10] [--only ChainSVC]
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # names of modules start at benchmarks/
    from defaults.spread import main

    main(__doc__)
