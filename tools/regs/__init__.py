# SPDX-License-Identifier: Apache-2.0
"""Exporter of the register files in regs/ (SystemRDL)."""
