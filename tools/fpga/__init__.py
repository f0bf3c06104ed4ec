# SPDX-License-Identifier: Apache-2.0
"""Synthesis, place and route with open tools: `make fpga-report`."""
