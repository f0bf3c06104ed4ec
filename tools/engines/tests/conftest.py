# SPDX-License-Identifier: Apache-2.0
"""Makes `tools.engines` importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
