# SPDX-License-Identifier: Apache-2.0
"""Puts rtl/ on sys.path, so that every unit's tests can `from tb import ...` (the simulator
inherits it)."""

import sys
from pathlib import Path

RTL = Path(__file__).resolve().parent
if str(RTL) not in sys.path:
    sys.path.insert(0, str(RTL))
