# SPDX-License-Identifier: Apache-2.0
"""Random legal AXI traffic as the values of all signals of a port, one call a cycle; both sides in one model."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from tb import stall

FIXED, INCR, WRAP = range(3)
OKAY, EXOKAY, SLVERR, DECERR = range(4)


@dataclass
class Burst:
    """A burst as IHI 0022 A3.4.1 describes it; `length` in beats, `size` in bytes."""

    ident: int
    addr: int
    length: int
    size: int
    kind: int
    exclusive: bool = False
    cache: int = 3
    prot: int = 0
    left: int = field(default=0)

    def signals(self, channel: str) -> dict[str, int]:
        values = {
            "id": self.ident,
            "addr": self.addr,
            "len": self.length - 1,
            "size": self.size.bit_length() - 1,
            "burst": self.kind,
            "lock": int(self.exclusive),
            "cache": self.cache,
            "prot": self.prot,
            "valid": 1,
        }
        return {f"{channel}{name}": value for name, value in values.items()}

    def lanes(self, beat: int, bus: int) -> int:
        """Strobes that beat number `beat` may set on a bus of `bus` bytes."""
        aligned = self.addr - self.addr % self.size
        if beat == 0 or self.kind == FIXED:
            first = self.addr
        elif self.kind == INCR:
            first = aligned + beat * self.size
        else:
            total = self.size * self.length
            base = self.addr - self.addr % total
            first = base + (self.addr - base + beat * self.size) % total
        end = first - first % self.size + self.size
        return sum(1 << (byte % bus) for byte in range(first, end))


def random_burst(rng: random.Random, ids: int, bus: int, axi3: bool, longest: int = 256) -> Burst:
    """A legal burst of any type, size and alignment."""
    most = min(16 if axi3 else 256, longest)
    size = 1 << rng.randint(0, bus.bit_length() - 1) if rng.random() < 0.5 else bus
    ident = rng.randrange(ids)
    kind = rng.choice([FIXED, INCR, INCR, INCR, WRAP])
    cache = rng.choice([c for c in range(16) if c & 2 or not c >> 2])
    if rng.random() < 0.1:
        total = rng.choice([t for t in (1, 2, 4, 8, 16, 32, 64, 128) if size <= t <= size * 16])
        return Burst(ident, rng.randrange(0, 1 << 20, total), total // size, size, INCR, True, cache)
    addr = rng.getrandbits(20)
    if kind == FIXED:
        length = rng.randint(1, 16)
    elif kind == WRAP:
        length = rng.choice([2, 4, 8, 16])
        addr -= addr % size
    else:
        room = (4096 - (addr % 4096 - addr % size)) // size
        length = room if room <= most and rng.random() < 0.2 else rng.randint(1, min(room, most, rng.choice([4, 256])))
    return Burst(ident, addr, length, size, kind, False, cache, rng.getrandbits(3))


class Traffic:
    """`cycle()` gives the signals for the next edge and books what that edge takes."""

    def __init__(
        self,
        rng: random.Random,
        *,
        id_width: int,
        bus: int,
        axi3: bool,
        early_w: bool,
        in_flight: int,
        late_aw: bool = False,
    ) -> None:
        self.rng, self.bus, self.axi3, self.early_w, self.in_flight = rng, bus, axi3, early_w, in_flight
        self.ids = 1 << id_width
        self.hold = {c: stall(rng, rng.choice([0.05, 0.3, 0.6])) for c in ("aw", "w", "b", "ar", "r")}
        self.pause = {c: stall(rng, rng.choice([0.05, 0.3, 0.6])) for c in self.hold}
        if late_aw:  # write data overtakes its addresses, where early_w allows
            self.pause["aw"] = stall(rng, 0.9, 60)
            self.pause["w"], self.hold["w"] = stall(rng, 0.1), stall(rng, 0.1)
        self.shown: dict[str, dict[str, int]] = {c: {} for c in self.hold}
        self.writes: list[Burst] = []  # in order, planned ahead of what is shown
        self.aw_shown = self.aw_taken = self.w_done = self.retired = 0
        self.w_beat = 0
        self.answer: dict[int, deque[Burst]] = {}  # writes per ID that B may answer
        self.reads: dict[int, deque[Burst]] = {}
        self.write_count = self.read_count = 0  # outstanding, as the checker counts
        self.early_bursts = 0

    def _write(self, number: int) -> Burst:
        while len(self.writes) <= number:
            self.writes.append(random_burst(self.rng, self.ids, self.bus, self.axi3, 32))
        return self.writes[number]

    def _aw(self) -> dict[str, int] | None:
        if self.aw_shown - self.retired >= self.in_flight:
            return None
        burst = self._write(self.aw_shown)
        self.aw_shown += 1
        return burst.signals("aw")

    def _w(self) -> dict[str, int] | None:
        known = self.w_done < self.aw_shown
        if not known and (not self.early_w or self.w_done - self.retired >= self.in_flight):
            return None
        self.early_bursts += not known and self.w_beat == 0
        burst = self._write(self.w_done)
        strobes = burst.lanes(self.w_beat, self.bus)
        if self.rng.random() < 0.3:
            strobes &= self.rng.getrandbits(self.bus)
        return {
            "wvalid": 1,
            "wid": burst.ident if self.axi3 else 0,
            "wdata": self.rng.getrandbits(8 * self.bus),
            "wstrb": strobes,
            "wlast": int(self.w_beat == burst.length - 1),
        }

    def _b(self) -> dict[str, int] | None:
        ready = [i for i, queue in self.answer.items() if queue]
        if not ready:
            return None
        ident = self.rng.choice(ready)
        resp = (
            EXOKAY
            if self.answer[ident][0].exclusive and self.rng.random() < 0.7
            else self.rng.choice([OKAY, OKAY, SLVERR, DECERR])
        )
        return {"bvalid": 1, "bid": ident, "bresp": resp}

    def _ar(self) -> dict[str, int] | None:
        burst = random_burst(self.rng, self.ids, self.bus, self.axi3, 32)
        if len(self.reads.setdefault(burst.ident, deque())) >= self.in_flight:
            return None
        burst.left = burst.length
        self.asked = burst
        return burst.signals("ar")

    def _r(self) -> dict[str, int] | None:
        ready = [i for i, queue in self.reads.items() if queue]
        if not ready:
            return None
        ident = self.rng.choice(ready)
        burst = self.reads[ident][0]
        resp = EXOKAY if burst.exclusive else self.rng.choice([OKAY, OKAY, SLVERR, DECERR])
        return {
            "rvalid": 1,
            "rid": ident,
            "rdata": self.rng.getrandbits(8 * self.bus),
            "rresp": resp,
            "rlast": int(burst.left == 1),
        }

    def cycle(self) -> dict[str, int]:
        make = {"aw": self._aw, "w": self._w, "b": self._b, "ar": self._ar, "r": self._r}
        signals: dict[str, int] = {}
        taken = set()
        for channel, build in make.items():
            if not self.shown[channel] and not self.pause[channel]():
                self.shown[channel] = build() or {}
            ready = not self.hold[channel]()
            signals |= {**self.shown[channel], f"{channel}ready": int(ready)}
            if ready and self.shown[channel]:
                taken.add(channel)
        last_w = bool(self.shown["w"].get("wlast"))
        last_r, r_id, b_id = bool(self.shown["r"].get("rlast")), self.shown["r"].get("rid"), self.shown["b"].get("bid")
        for channel in taken:
            self.shown[channel] = {}
        self.aw_taken += "aw" in taken
        if "w" in taken:
            self.w_done += last_w
            self.w_beat = 0 if last_w else self.w_beat + 1
        if "b" in taken and b_id is not None:
            self.answer[b_id].popleft()
        if "r" in taken and r_id is not None:
            self.reads[r_id][0].left -= 1
            if last_r:
                self.reads[r_id].popleft()
        if "ar" in taken:
            self.reads[self.asked.ident].append(self.asked)
        while self.retired < min(self.aw_taken, self.w_done):
            burst = self.writes[self.retired]
            self.answer.setdefault(burst.ident, deque()).append(burst)
            self.retired += 1
        self.write_count += ("aw" in taken) - ("b" in taken)
        self.read_count += ("ar" in taken) - ("r" in taken and last_r)
        return signals
