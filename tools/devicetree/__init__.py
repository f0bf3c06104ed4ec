# SPDX-License-Identifier: Apache-2.0
"""Device trees of designs, made from their descriptions."""
