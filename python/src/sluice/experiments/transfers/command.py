# SPDX-License-Identifier: Apache-2.0
"""One run of `sluice-bench transfers`: its command line, and what it answers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from sluice.errors import RunError
from sluice.experiments.kind import Session
from sluice.experiments.transfers.experiment import OF_CARD, Code, Completions, Gpu, HostMemory
from sluice.experiments.transfers.link import Clock, Link, Verified
from sluice.labels import RTL, Level
from sluice.models import Record, checked
from sluice.units import format_number

_TIMEOUT_S = 24 * 3600  # 1,000 times 32 MiB on RTL take hours


class Step(NamedTuple):
    """A piece of a transfer, as its engine or the CPU did it."""

    what: Literal["h2c", "c2h", "gpu", "cpu"]  # the first two are the card's
    transfer: int  # from 0
    bytes: int
    start_ns: int
    finish_ns: int


class Figures(Record):
    """What `sluice-bench transfers` prints."""

    elapsed_ns: Annotated[int, Field(gt=0)]
    latency_ns: tuple[Annotated[int, Field(ge=0)], ...]
    steps: tuple[Step, ...]
    link: Link | None  # of a simulated card
    clock: Clock
    gpu: str | None
    verified: Verified

    @property
    def shares(self) -> Link:
        """Return what a simulated card's link counted."""
        if self.link is None:
            raise RunError("sluice-bench transfers: a simulated card says nothing of its link")
        return self.link


@dataclass(frozen=True, slots=True)
class Transfers:
    """Transfers of one size."""

    board: str
    design: str
    code: Code
    bytes: int
    iterations: int
    depth: int
    completions: Completions
    settings: tuple[tuple[str, int], ...] = ()
    clock_mhz: float | None = None  # None: the board's own
    start_cost_ns: int | None = None  # None: the board's own
    level: Level = RTL
    gpu: Gpu | None = None  # beside a simulated card
    cuda: int | None = None  # a GPU of this machine in its place
    device: str | None = None  # a card that is not simulated
    peer: str | None = None  # memory of another device beside it
    host: HostMemory = "pinned"
    steps: bool = False  # are answered too
    tlp: Path | None = None  # where the packets of the link are written

    def words(self) -> list[str]:
        """Return the command line, without the program."""
        words = ["transfers", *self._where(), "--code", self.code]
        words += ["--bytes", str(self.bytes), "--iterations", str(self.iterations)]
        words += ["--depth", str(self.depth)]
        if self.device is None:
            words += ["--completions", self.completions]
        if self.host == "pageable":
            words.append("--pageable")
        if self.steps:
            words.append("--steps")
        if self.tlp is not None:
            words += ["--tlp", str(self.tlp)]
        return words

    def _where(self) -> list[str]:
        """Return which card and which GPU."""
        gpu: list[str] = []
        if self.code not in OF_CARD and self.cuda is not None:
            gpu = ["--cuda", str(self.cuda)]
        if self.code not in OF_CARD and self.peer is not None:
            gpu = ["--peer", self.peer]
        if self.device is not None:
            return ["--device", self.device, *gpu]
        if self.code not in OF_CARD and self.cuda is None and self.gpu is not None:
            gpu = ["--gpu", self.gpu]
        words = ["--board", self.board, "--level", self.level, "--design", self.design, *gpu]
        if self.clock_mhz is not None:
            words += ["--clock-mhz", format_number(self.clock_mhz)]
        if self.start_cost_ns is not None:
            words += ["--start-cost-ns", str(self.start_cost_ns)]
        for name, value in self.settings:
            words += ["--set", f"{name}={value}"]
        return words

    def mb_s_a_direction(self, figures: Figures) -> float:
        """Return the rate of each direction, in MB/s."""
        return self.bytes * self.iterations / figures.elapsed_ns * 1e3

    def ask(self, session: Session, what: str) -> Figures:
        """Measure them; errors say that it was of `what`."""
        answer = session.ask(self.words(), what, _TIMEOUT_S)
        return checked(Figures, answer, "sluice-bench transfers", RunError)
