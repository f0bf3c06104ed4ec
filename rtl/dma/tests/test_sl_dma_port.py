# SPDX-License-Identifier: Apache-2.0
"""sl_dma_port with an ID of several bits, in each engine whose own tests have it at one bit: it builds without a
warning, and every burst is answered."""

from __future__ import annotations

from tb import run


def test_wide_id_sl_axi_dma() -> None:
    config = {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IdWidth": 4, "ResetTimeout": 500}
    run("sl_axi_dma", config, "test_sl_axi_dma_timeout", testcase="answers_in_time")
