# SPDX-License-Identifier: Apache-2.0
"""Devices: the rows of an experiment on a board that is not simulated."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from sluice.boards import Board, Catalogue, Design, Preset
from sluice.errors import InputError, RunError
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.rows import Request, Row, plan_rows
from sluice.labels import RTL
from sluice.models import Record, Text, Whole, checked

_PLACEMENT = (
    "Buffers lie where the system puts them. All receivers are started first, then all senders, in "
    "order of port."
)
# A device does not say these itself; what a stream and a clock can be at all.
_WIDTHS = tuple(8 << power for power in range(8))
_CLOCK_MHZ = (0.001, 10_000)
_OF_SIMULATED_BOARDS = ("level", "fast_forward", "start_cost_ns", "skew_ns", "settings")


class Port(Record):
    """What can be moved through one port of a device."""

    number: Whole
    name: Text
    directions: tuple[str, ...]
    width_bits: Whole  # 0: not known
    max_transfer_bytes: Annotated[int, Field(ge=1)]


class _Found(Record):
    uri: Text
    design: str  # empty: not known
    ports: tuple[Port, ...]


class _Document(Record):
    device: _Found


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the driver or a function of vfio-pci, as `sluice-bench list --device` has it."""

    uri: str
    design: str  # empty: not known
    ports: dict[int, Port]


def read_device(document: Any) -> Device:  # noqa: ANN401
    """Return what `sluice-bench list --device` printed."""
    found = checked(_Document, document, "sluice-bench list", RunError).device
    return Device(found.uri, found.design, {port.number: port for port in found.ports})


def plan_on_device(
    experiment: RatesExperiment, catalogue: Catalogue, device: Device, request: Request
) -> list[Row]:
    """Return the rows that were asked for, on a device.

    What it does not say itself, its clock and with the driver its width, is taken from the row.
    """
    for name in _OF_SIMULATED_BOARDS:
        if getattr(request, name) not in (None, ()):
            option = "set" if name == "settings" else name.replace("_", "-")
            raise InputError(f"--{option} is for simulated boards; leave it out with --device")
    if experiment.model:
        raise InputError(f"{experiment.name} changes the memory model, and {device.uri} has none")
    rows = plan_rows(experiment, _board(experiment, catalogue, device), request)
    for what, option in (("width_bits", "width"), ("clock_mhz", "clock-mhz")):
        values = sorted({getattr(row, what) for row in rows})
        if len(values) > 1:
            some = " or ".join(f"{value:g}" for value in values)
            raise InputError(f"{device.uri} has one of {some}: say which by --{option}")
    for row in rows:
        _check(row, device)
    return [
        replace(
            row,
            device=device.uri,
            level=RTL,
            settings=(),  # those of the engines, where the experiment's level is transaction
            start_cost_ns=0,
            skew_ns=0,
            placement_rule=_PLACEMENT,
        )
        for row in rows
    ]


def _board(experiment: RatesExperiment, catalogue: Catalogue, device: Device) -> Board:
    """Return the experiment's board, the device behind its ports."""
    if len(experiment.design_names) > 1:
        raise InputError(f"{experiment.name} compares designs, and {device.uri} has one")
    [design] = experiment.design_names
    if device.design not in ("", design):
        raise InputError(f"{device.uri} has {device.design}, not the {design} of {experiment.name}")
    axes = experiment.axes
    for width in axes.width_bits:
        if width not in _WIDTHS:
            raise InputError(
                f"{experiment.file}: axes.width_bits: a stream has no {width} bits; "
                f"allowed: {_join(_WIDTHS)}"
            )
    numbers = range(max(*device.ports, *(port for ports in axes.ports for port in ports), 0) + 1)
    names = {number: port.name for number, port in device.ports.items()}
    peaks = [board.ddr_peak_mb_s for board in catalogue.boards if board.name == experiment.board]
    return Board(
        name=experiment.board,
        uri=device.uri,
        description="",
        designs=(
            Design(
                name=design,
                description="",
                ports=tuple(names.get(number, f"PORT{number}") for number in numbers),
                widths=axes.width_bits,
                directions=axes.direction,
            ),
        ),
        ddr_peak_mb_s=peaks[0] if peaks else math.inf,
        memory_bytes=1 << 62,  # the system says when there is no more
        default_clock_mhz=axes.clock_mhz[0],
        clock_mhz=_CLOCK_MHZ,
        max_transfer_bytes=1 << 62,  # each port has its own
        presets={experiment.defaults.preset: Preset(start_cost_ns=0)},
    )


def _check(row: Row, device: Device) -> None:
    """Refuse what the device cannot do before anything is measured."""
    for number in row.port_indices:
        port = device.ports.get(number)
        if port is None:
            there = _join(device.ports)
            raise InputError(f"{device.uri} has no port {number}. Give --ports; it has {there}")
        if row.direction not in port.directions:
            there = _join(port.directions) or "none"
            raise InputError(
                f"{device.uri} does not go {row.direction} at {port.name}. "
                f"Give --direction; allowed: {there}"
            )
        if port.width_bits not in (0, row.width_bits):
            raise InputError(
                f"{device.uri} has ports of {port.width_bits} bits, not {row.width_bits}"
            )
        if row.bytes > port.max_transfer_bytes:
            raise InputError(
                f"{device.uri}: a transfer of {row.bytes} bytes is not possible; "
                f"give --bytes, at most {port.max_transfer_bytes}"
            )


def _join(values: Sequence[object] | dict[int, Port]) -> str:
    return ", ".join(str(value) for value in values)
