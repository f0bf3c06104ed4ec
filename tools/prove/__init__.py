# SPDX-License-Identifier: Apache-2.0
"""Formal proofs of RTL modules: `make prove`."""
