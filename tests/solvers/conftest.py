"""Makes the helpers beside this folder (reference, problems, support_table) importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
