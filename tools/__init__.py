# SPDX-License-Identifier: Apache-2.0
"""Tools that build and check the project."""
