# SPDX-License-Identifier: Apache-2.0
"""What a transfer costs Linux, in instructions: experiment `linux-overhead`."""
