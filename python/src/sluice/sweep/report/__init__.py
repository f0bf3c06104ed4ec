# SPDX-License-Identifier: Apache-2.0
"""A sweep in a report: its section, and its plots."""
