# SPDX-License-Identifier: Apache-2.0
"""Packages of the project: a wheel for Python, and Debian packages."""
