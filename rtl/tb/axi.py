# SPDX-License-Identifier: Apache-2.0
"""A latency-exact AXI slave in plain cocotb: one coroutine, one step a cycle, memory as a
bytearray.

With AR taken at edge t the first R beat is taken at edge t + read_latency at the earliest (a master
that is ready); with WLAST taken at edge t its B is taken at t + write_latency at the earliest. One
beat a cycle each way, bursts in order. It checks what a master may do wrong: bursts over 4 KiB,
size, type, unstable payload, WLAST position, strobes outside memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from .signals import Writer, reader
from .stalls import NO_STALL, Stall

OKAY, EXOKAY, SLVERR, DECERR = range(4)
# What `written` counts: bytes one higher, 255 kept.
ONCE_MORE = bytes(min(n + 1, 255) for n in range(256))


@dataclass
class Stalls:
    """One stall source a channel; AR, AW and W: READY held low; R and B: VALID held back."""

    ar: Stall = NO_STALL
    r: Stall = NO_STALL
    aw: Stall = NO_STALL
    w: Stall = NO_STALL
    b: Stall = NO_STALL


@dataclass
class Burst:
    addr: int
    beats: int
    ident: int
    edge: int
    done: int = 0
    resp: int = OKAY
    last_edge: int = 0


@dataclass
class Log:
    """What happened, for assertions: bursts as (addr, beats, edge), edges of data beats and
    responses."""

    reads: list[Burst] = field(default_factory=list)
    writes: list[Burst] = field(default_factory=list)
    r_beats: list[int] = field(default_factory=list)
    w_beats: list[int] = field(default_factory=list)
    b_edges: list[int] = field(default_factory=list)


class AxiSlave:
    """Serves <prefix>_* of `dut`: the read channels where it has ARVALID, the write channels where
    it has AWVALID.

    `error(is_write, address)` is asked for every beat and returns the response (a write burst gets
    the worst of its beats; the beat's data is then not written). `max_reads`/`max_writes` limit
    outstanding bursts. `written` has one byte a memory byte, counting writes to it. Addresses
    beyond the memory are answered with DECERR."""

    def __init__(
        self,
        dut: Any,
        prefix: str = "m_axi",
        memory: bytearray | int = 1 << 20,
        *,
        base: int = 0,
        read_latency: int = 4,
        write_latency: int = 4,
        max_reads: int = 1 << 30,
        max_writes: int = 1 << 30,
        stalls: Stalls | None = None,
        error: Callable[[bool, int], int] | None = None,
        max_burst: int = 256,
    ) -> None:
        self.clk = dut.clk_i
        self.dut = dut
        self.memory = bytearray(memory) if isinstance(memory, int) else memory
        self.written = bytearray(len(self.memory))
        self.base = base
        self.read_latency = read_latency
        self.write_latency = write_latency
        self.max_reads = max_reads
        self.max_writes = max_writes
        self.stalls = stalls or Stalls()
        self.error = error
        self.max_burst = max_burst
        self.log = Log()
        self.cycle = 0
        self.reads: deque[Burst] = deque()
        self.writes: deque[Burst] = deque()
        self.responses: deque[Burst] = deque()
        self.held_ids: frozenset[int] = frozenset()  # whose writes are not answered, others' are
        self.early: deque[tuple[int, int, int]] = deque()
        self.open_writes = 0
        self.prefix = prefix
        self._steps: list[Callable[[], None]] = []
        if hasattr(dut, f"{prefix}_arvalid"):
            self._steps.append(self._read_side())
        if hasattr(dut, f"{prefix}_awvalid"):
            self._steps.append(self._write_side())
        self._task = cocotb.start_soon(self._run())

    @property
    def outstanding(self) -> int:
        return len(self.reads) + self.open_writes

    def stop(self) -> None:
        """Ends the coroutine; the signals stay as they are."""
        self._task.cancel()

    async def _run(self) -> None:
        edge = RisingEdge(self.clk)
        reset = reader(self.dut.rst_ni)
        while True:
            await edge
            self.cycle += 1
            if reset():
                for step in self._steps:
                    step()

    def _get(self, name: str) -> Callable[[], int]:
        return reader(getattr(self.dut, f"{self.prefix}_{name}"))

    def _set(self, name: str) -> Writer:
        return Writer(getattr(self.dut, f"{self.prefix}_{name}"))

    def _address(self, kind: str) -> Callable[[], tuple[int, ...]]:
        fields = [f"{kind}addr", f"{kind}len", f"{kind}size", f"{kind}burst"]
        if hasattr(self.dut, f"{self.prefix}_{kind}id"):
            fields.append(f"{kind}id")
        gets = [self._get(name) for name in fields]
        return lambda: tuple(get() for get in gets)

    def _check_burst(self, payload: tuple[int, ...], size: int) -> Burst:
        addr, beats = payload[0], payload[1] + 1
        assert 1 << payload[2] == size, f"burst size {1 << payload[2]} B on a port of {size} B"
        assert payload[3] == 1, f"burst type {payload[3]}"
        assert beats <= self.max_burst, f"burst of {beats} beats, at most {self.max_burst}"
        last = (addr - addr % size) + beats * size - 1
        assert addr >> 12 == last >> 12, f"burst {addr:#x} of {beats} beats crosses 4 KiB"
        return Burst(addr, beats, payload[4] if len(payload) > 4 else 0, self.cycle)

    def _response(self, write: bool, addr: int, size: int) -> int:
        if addr < self.base or addr + size > self.base + len(self.memory):
            return DECERR
        return self.error(write, addr) if self.error is not None else OKAY

    def _read_side(self) -> Callable[[], None]:
        size = len(getattr(self.dut, f"{self.prefix}_rdata")) // 8
        ar_valid, payload = self._get("arvalid"), self._address("ar")
        r_ready = self._get("rready")
        ar_ready, r_valid = self._set("arready"), self._set("rvalid")
        r_data, r_resp, r_last = self._set("rdata"), self._set("rresp"), self._set("rlast")
        r_id = self._set("rid") if hasattr(self.dut, f"{self.prefix}_rid") else None
        state: dict[str, Any] = {"ready": False, "valid": False, "held": None}

        def step() -> None:
            if state["valid"] and r_ready():
                self.log.r_beats.append(self.cycle)
                burst = self.reads[0]
                burst.done += 1
                if burst.done == burst.beats:
                    burst.last_edge = self.cycle
                    self.reads.popleft()
                state["valid"] = False
            if ar_valid():
                now = payload()
                assert state["held"] in (None, now), "AR payload changed while waiting"
                if state["ready"]:
                    burst = self._check_burst(now, size)
                    self.reads.append(burst)
                    self.log.reads.append(burst)
                    state["held"] = None
                else:
                    state["held"] = now
            else:
                assert state["held"] is None, "ARVALID withdrawn"
            if (
                not state["valid"]
                and self.reads
                and self.cycle + 1 >= self.reads[0].edge + self.read_latency
                and not self.stalls.r()
            ):
                burst = self.reads[0]
                addr = burst.addr - burst.addr % size + burst.done * size
                resp = self._response(False, addr, size)
                at = addr - self.base
                r_data(
                    int.from_bytes(self.memory[at : at + size], "little")
                    if resp < SLVERR
                    else 0xDEADDEAD
                )
                r_resp(resp)
                r_last(int(burst.done + 1 == burst.beats))
                if r_id is not None:
                    r_id(burst.ident)
                state["valid"] = True
            r_valid(int(state["valid"]))
            state["ready"] = len(self.reads) < self.max_reads and not self.stalls.ar()
            ar_ready(int(state["ready"]))

        return step

    def _write_side(self) -> Callable[[], None]:
        size = len(getattr(self.dut, f"{self.prefix}_wdata")) // 8
        aw_valid, payload = self._get("awvalid"), self._address("aw")
        w_valid, w_data, w_strb, w_last = (
            self._get(n) for n in ("wvalid", "wdata", "wstrb", "wlast")
        )
        b_ready = self._get("bready")
        aw_ready, w_ready, b_valid = self._set("awready"), self._set("wready"), self._set("bvalid")
        b_resp = self._set("bresp")
        b_id = self._set("bid") if hasattr(self.dut, f"{self.prefix}_bid") else None
        state: dict[str, Any] = {"aw": False, "w": False, "b": False}
        state["aw_held"] = state["w_held"] = None

        def step() -> None:
            if state["b"] and b_ready():
                self.log.b_edges.append(self.cycle)
                self.responses.remove(state["answer"])
                self.open_writes -= 1
                state["b"] = False
            if aw_valid():
                now = payload()
                assert state["aw_held"] in (None, now), "AW payload changed while waiting"
                if state["aw"]:
                    burst = self._check_burst(now, size)
                    self.writes.append(burst)
                    self.log.writes.append(burst)
                    self.open_writes += 1
                    state["aw_held"] = None
                else:
                    state["aw_held"] = now
            else:
                assert state["aw_held"] is None, "AWVALID withdrawn"
            if w_valid():
                beat = (w_data(), w_strb(), w_last())
                assert state["w_held"] in (None, beat), "W payload changed while waiting"
                if state["w"]:
                    self.early.append(beat)
                    state["w_held"] = None
                else:
                    state["w_held"] = beat
            else:
                assert state["w_held"] is None, "WVALID withdrawn"
            while self.early and self.writes:
                self._write_beat(self.early.popleft(), size)
            answer = None if state["b"] else self._next_response()
            if (
                answer is not None
                and self.cycle + 1 >= answer.last_edge + self.write_latency
                and not self.stalls.b()
            ):
                b_resp(answer.resp)
                if b_id is not None:
                    b_id(answer.ident)
                state["b"], state["answer"] = True, answer
            b_valid(int(state["b"]))
            state["aw"] = self.open_writes < self.max_writes and not self.stalls.aw()
            aw_ready(int(state["aw"]))
            # A W beat is taken only for an address in hand or one that can be taken in the same
            # cycle.
            state["w"] = (
                bool(self.writes) or (state["aw"] and not self.early)
            ) and not self.stalls.w()
            w_ready(int(state["w"]))

        return step

    def _next_response(self) -> Burst | None:
        if not self.held_ids:
            return self.responses[0] if self.responses else None
        return next((b for b in self.responses if b.ident not in self.held_ids), None)

    def _write_beat(self, beat: tuple[int, int, int], size: int) -> None:
        burst = self.writes[0]
        data, strobe, last = beat
        self.log.w_beats.append(self.cycle)
        addr = burst.addr - burst.addr % size + burst.done * size
        resp = self._response(True, addr, size)
        burst.resp = max(burst.resp, resp)
        burst.done += 1
        assert last == (burst.done == burst.beats), (
            f"WLAST {last} on beat {burst.done} of {burst.beats}"
        )
        if resp < SLVERR:
            at = addr - self.base
            raw = data.to_bytes(size, "little")
            if strobe == (1 << size) - 1 and addr >= burst.addr:
                self.memory[at : at + size] = raw
                counts = self.written[at : at + size]
                self.written[at : at + size] = counts.translate(ONCE_MORE)
            else:
                for lane in range(size):
                    if strobe >> lane & 1:
                        assert addr + lane >= burst.addr, "strobe below AWADDR"
                        self.memory[at + lane] = raw[lane]
                        self.written[at + lane] = min(self.written[at + lane] + 1, 255)
        if last:
            burst.last_edge = self.cycle
            self.responses.append(self.writes.popleft())
