# SPDX-License-Identifier: Apache-2.0
"""The proofs: harness, sources, parameters, depth of the induction, covers, mutations."""

from __future__ import annotations

from dataclasses import dataclass, field

from tools import cores


@dataclass(frozen=True)
class Mutation:
    """An error: `old`, once in `file`, becomes `new`. `depth` cycles have to show it."""

    file: str
    old: str
    new: str
    depth: int = 12


@dataclass(frozen=True)
class Proof:
    """Proved by k-induction with k = depth, hence for any number of cycles."""

    name: str
    harness: str  # the top, in the file of that name
    folder: str
    parameters: dict[str, int] = field(default_factory=dict)
    depth: int = 2
    cover_depth: int = 12
    mutations: tuple[Mutation, ...] = ()

    @property
    def files(self) -> list[str]:
        """All sources, the harness last."""
        return cores.sources(f"{self.folder}/{self.harness}.sv", synthesis=True)


MOVER = "rtl/mover"
FIFO = f"{MOVER}/sl_fifo.sv"
SKID = f"{MOVER}/sl_skid.sv"
SPLIT = f"{MOVER}/sl_burst_split.sv"
REALIGN = f"{MOVER}/sl_realign.sv"
MM2S = f"{MOVER}/sl_mm2s.sv"

AXI = "rtl/axi"
GUARD, GUARD_OUT = f"{AXI}/sl_axi_guard.sv", f"{AXI}/sl_axi_guard_out.sv"
ADAPTER = f"{AXI}/sl_axi3_adapter.sv"
STREAM = "rtl/stream"
WIDTH = f"{STREAM}/sl_axis_width.sv"
STREAMIF = "rtl/streamif"
WINDOW = f"{STREAMIF}/sl_window_check.sv"
SHARE = f"{STREAMIF}/sl_port_share.sv"
PCIE = "rtl/pcie"
FETCH = f"{PCIE}/sl_xdma_fetch.sv"

PROOFS = (
    Proof(
        "sl_fifo-lut-8",
        "prove_sl_fifo",
        f"{MOVER}/proofs",
        {"Depth": 8},
        cover_depth=20,
        mutations=(
            Mutation(FIFO, "(valid_q && !(ram_read && count_q == 1))", "(valid_q && !ram_read)"),
            Mutation(FIFO, "assign in_ready_o = !count_q[PtrWidth];", "assign in_ready_o = 1'b1;"),
        ),
    ),
    Proof(
        "sl_fifo-block-128",
        "prove_sl_fifo",
        f"{MOVER}/proofs",
        {"Depth": 128},
        mutations=(
            # The gap that the FIFO once had.
            Mutation(
                FIFO,
                "(next_valid_q && ram_valid_q) &&\n"
                "                    (out_ready_i || !(next_valid_q || ram_valid_q));",
                "ram_valid_q &&\n"
                "                    !(out_valid_q && next_valid_q && !out_ready_i);",
            ),
            Mutation(FIFO, "direct && (!to_out || ram_valid_q)", "direct && !to_out"),
        ),
    ),
    Proof(
        "sl_fifo-ram-128",
        "prove_sl_fifo",
        f"{MOVER}/proofs",
        {"Depth": 128, "Bypass": 0},
        mutations=(
            Mutation(FIFO, "ram_any_q && (!ram_valid_q || ram_take)", "ram_any_q"),
            Mutation(FIFO, "!Bypass ? ram_q :", "!Bypass ? in_data_i :"),
        ),
    ),
    Proof(
        "sl_skid",
        "prove_sl_skid",
        f"{MOVER}/proofs",
        mutations=(
            Mutation(SKID, "if (!skid_valid_q) skid_q <=", "skid_q <="),
            Mutation(SKID, "skid_valid_q || in_valid_i;", "in_valid_i;"),
        ),
    ),
    *(
        Proof(
            f"sl_burst_split-{width}-{burst}" + "-late" * late + "-short" * (bits < 12),
            "prove_sl_burst_split",
            f"{MOVER}/proofs",
            {"DataWidth": width, "MaxBurst": burst, "LenWidth": bits, "LateDrop": late},
            mutations=(
                Mutation(SPLIT, "low_last[OffBits] && !none", "(&low_last[OffBits-1:0]) && !none"),
                Mutation(SPLIT, "left_n_q == ~CntBits'(inc_q)", "left_n_q == ~CntBits'(1)"),
                Mutation(SPLIT, "over ? 2'd0 : none", "none"),
                Mutation(SPLIT, "len_q  <= one_left ? end_q : '1;", "len_q  <= '1;"),
                # A short command has no more bursts than two.
                *((Mutation(SPLIT, "none ? 2'd2 :", ""),) if bits > 12 else ()),
                *(
                    (
                        Mutation(SPLIT, "page_q + 1'b1;", "page_q;"),
                        Mutation(SPLIT, ": left_n_q + CntBits'(inc_q);", ": left_n_q + 1'b1;"),
                    )
                    if late
                    else ()
                ),
            ),
        )
        for width, burst, late, bits in (
            (64, 16, 0, 26),
            (32, 2, 0, 26),
            (512, 256, 0, 26),
            (512, 256, 0, 8),
            (64, 16, 1, 26),
        )
    ),
    *(
        Proof(
            f"sl_realign-{width}",
            "prove_sl_realign",
            f"{MOVER}/proofs",
            {"DataWidth": width},
            mutations=(
                Mutation(REALIGN, "(full || !held[lane])", "!held[lane]"),
                Mutation(REALIGN, "out_ready_i && !two;", "out_ready_i;"),
                Mutation(REALIGN, "in_flush_i ? '0 : pos_end", "pos_end"),
                Mutation(REALIGN, "~in_beg_i, 1'b1", "~in_beg_i, 1'b0"),
            ),
        )
        for width in (32, 64)
    ),
    *(
        Proof(
            f"sl_mm2s-space-{'unaligned' if unaligned else 'aligned'}-{burst}",
            "prove_sl_mm2s_space",
            f"{MOVER}/proofs",
            {"Unaligned": unaligned, "MaxBurst": burst},
            cover_depth=80,
            mutations=(
                Mutation(
                    MM2S,
                    "ar_take ? free_q >= FreeBits'(2 * BurstBeats) :",
                    "ar_take ? free_q >= FreeBits'(BurstBeats) :",
                    depth=16,
                ),
                Mutation(MM2S, "+ FreeBits'(beat_pop);", "+ FreeBits'(m_axi_rvalid);"),
            ),
        )
        for unaligned, burst in ((0, 64), (1, 64))
    ),
    *(
        Proof(
            f"sl_axi_guard-{'registered-w' if registered else 'through'}",
            "prove_sl_axi_guard",
            f"{AXI}/proofs",
            {"RegisterW": registered},
            cover_depth=20,
            mutations=(
                Mutation(
                    GUARD,
                    "(r_cut_q || (cut_q && !(s_axi.rvalid && !s_axi.rready)))",
                    "(r_cut_q || cut_q)",
                ),
                Mutation(GUARD, "owed = aw_q != '0 && w_q != '0", "owed = aw_q != '0"),
                Mutation(
                    GUARD_OUT,
                    "m_valid_o = cut_i ? held_valid_q : s_valid_i;",
                    "m_valid_o = s_valid_i && !cut_i;",
                ),
            ),
        )
        for registered in (0, 1)
    ),
    *(
        Proof(
            f"sl_axis_width-{ratio}",
            "prove_sl_axis_width",
            f"{STREAM}/proofs",
            {"Ratio": ratio},
            cover_depth=24,
            mutations=(
                Mutation(WIDTH, "m_axis_tready || (TakeEarly && !part_last)", "m_axis_tready"),
                Mutation(
                    WIDTH, "PartBits'(part) ? s_axis_tkeep : '0;", "PartBits'(part) ? '1 : '0;"
                ),
                Mutation(WIDTH, "part_last     = !more[part_q];", "part_last     = 1'b1;"),
                Mutation(WIDTH, "s_axis_tlast && part_last", "s_axis_tlast"),
            ),
        )
        for ratio in (2, 8)
    ),
    Proof(
        "sl_axi3_adapter-4",
        "prove_sl_axi3_adapter",
        f"{AXI}/proofs",
        {"WriteDepth": 4},
        mutations=(
            Mutation(ADAPTER, "empty ? s_axi.awid : ids_q", "ids_q"),
            Mutation(
                ADAPTER,
                "(aw_wait_q || !full);\n  assign s_axi.awready",
                "!full;\n  assign s_axi.awready",
            ),
            Mutation(ADAPTER, "s_axi.wvalid && (!empty || push);", "s_axi.wvalid;"),
        ),
    ),
    Proof(
        "sl_window_check",
        "prove_sl_window_check",
        f"{STREAMIF}/proofs",
        mutations=tuple(
            Mutation(WINDOW, old, new, depth=11)
            for old, new in (
                ("window.base <= addr_q", "window.base < addr_q"),
                ("last_q <= window.limit", "last_q < window.limit"),
                ("cmd_write_q ? write_q", "1'b0 ? write_q"),
                ("hit_q && !over_q", "hit_q"),
                ("set_ready_o = !busy_q;", "set_ready_o = 1'b1;"),
                ("hit_q <= hit_q || (grants", "hit_q <= (grants"),
                ("(bytes_q - 1'b1)", "(bytes_q)"),
            )
        ),
    ),
    *(
        Proof(
            f"sl_port_share-{masters}",
            "prove_sl_port_share",
            f"{STREAMIF}/proofs",
            {"NumMasters": masters},
            mutations=(
                Mutation(SHARE, "n - 1 > 32'(last)", "n - 1 >= 32'(last)"),
                Mutation(SHARE, "aw_last_q                       <= aw_sel;", ";"),
                Mutation(SHARE, "ar_held_q ? ar_last_q : next", "next"),
                Mutation(SHARE, "empty ? aw_sel : masters_q", "masters_q"),
                Mutation(SHARE, "aw_held_q || (!full && write_en_i)", "!full && write_en_i"),
                Mutation(SHARE, "ar_held_q || read_en_i;", "read_en_i;"),
            ),
        )
        for masters in (2, 4)
    ),
    *(
        Proof(
            f"sl_xdma_fetch-{width}",
            "prove_sl_xdma_fetch",
            f"{PCIE}/proofs",
            {"DataWidth": width},
            cover_depth=30,
            mutations=(
                Mutation(FETCH, "credits_q < CreditBits'(want))", "1'b0)"),
                Mutation(FETCH, "(credit_mode_q || !credit_mode_i);", "1'b1;"),
                Mutation(FETCH, "room_q >= RoomBits'(ReadDescs) &&", ""),
                Mutation(FETCH, "!(credit_mode_i && credit_end);", "1'b1;"),
                Mutation(
                    FETCH, "credit_end = reset_i || run_q && !run_i;", "credit_end = reset_i;"
                ),
                Mutation(FETCH, "reset_i || run_q && !run_i;", "run_q && !run_i;"),
                Mutation(FETCH, "credits_sum[CreditBits] ? '1 :", "1'b0 ? '1 :"),
                Mutation(FETCH, "left_q - 7'(want_q);", "left_q - 7'd1;"),
                Mutation(FETCH, "left_q > 7'(ReadDescs) ?", "1'b1 ?"),
                Mutation(
                    FETCH, "{1'b0, next_adjacent_q} + 1'b1;", "{1'b0, next_adjacent_q} + 7'd2;", 30
                ),
                Mutation(FETCH, "in_desc.stop || in_desc.bad_magic)", "in_desc.stop)", 30),
                Mutation(
                    FETCH, "cmd_valid_q && enable_i && !hold_i &&", "cmd_valid_q && enable_i &&"
                ),
                Mutation(FETCH, "!hold_i && !end_q;", "!hold_i;", 30),
                Mutation(FETCH, "if (!cmd_valid_q) begin", "begin"),
            ),
        )
        for width in (64, 256)
    ),
)
