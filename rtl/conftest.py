# SPDX-License-Identifier: Apache-2.0
"""Puts rtl/ and the generated register constants on sys.path, so that every unit's tests can `from tb import ...`
and `import sluice_regs.X` (the simulator inherits it)."""

import sys
from pathlib import Path

RTL = Path(__file__).resolve().parent
for folder in (RTL.parent / "regs" / "gen" / "python", RTL):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
