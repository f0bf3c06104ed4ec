# SPDX-License-Identifier: Apache-2.0
"""Prose rules for what users read."""
