# SPDX-License-Identifier: Apache-2.0
"""The engines' rates and latencies in simulation: `make engine-bench`."""
