# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many measurements of an experiment under other conditions, on one machine or many.

`specification` says what is measured, `job` measures it anywhere, `engine` hands jobs to an
executor, `executors` opens one, `store` keeps what was measured, and `run` joins them.
"""
