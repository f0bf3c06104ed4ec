# SPDX-License-Identifier: Apache-2.0
"""The documentation site: `make docs`, out of docs/, the headers and the Python package."""
