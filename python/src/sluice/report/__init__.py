# SPDX-License-Identifier: Apache-2.0
"""Reports: sections that kinds of experiments give, rendered as one page, and their plots."""
