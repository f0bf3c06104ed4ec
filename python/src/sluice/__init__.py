# SPDX-License-Identifier: Apache-2.0
"""Sluice: measure what the memory ports of FPGA boards deliver."""

__version__ = "0.1.0"
