# SPDX-License-Identifier: Apache-2.0
"""Experiments by kind: each folder here is one, and holds all that is known of it.

`kind` says what a kind has to do, `registry` finds the kinds, `run` measures an experiment of any
kind, and `result` is the one form of their results.
"""
