# SPDX-License-Identifier: Apache-2.0
"""What the RTL itself says of a design: its top level's parameters, elaborated by slang."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyslang
import yaml  # type: ignore[import-untyped]
from sluice.errors import InputError

from tools import cores

CORES = "rtl/design"
INTERRUPTS = "irq_o"
# The parameters of a top level that say which design it is: not for whoever builds that design.
CHOICE = "Design"
FATAL = "FatalTask"


@dataclass(frozen=True)
class Top:
    """A top level as it is built."""

    module: str
    parameters: dict[str, int]  # and the local ones
    outputs: int  # bits of INTERRUPTS, for as many lanes as it may have

    def get(self, name: str, without: int = 0) -> int:
        """A parameter; `without`: what holds of a top level that does not have it."""
        return self.parameters.get(name, without)


def elaborate(design: str, parameters: Mapping[str, int]) -> Top:
    """The top level of a design of rtl/design, with parameters that differ from their defaults.

    Raises InputError: the RTL does not have them, or refuses them; the sentence starts with a key.
    """
    core = yaml.safe_load((cores.ROOT / CORES / f"{design}.core").read_text())
    target = core["targets"]["default"]
    chosen = {name: core["parameters"][name]["default"] for name in target["parameters"]}
    module, compilation, engine = _compile(target["toplevel"], {**chosen, **parameters})
    values = list(module.parameters)
    allowed = [v.name for v in values if not v.isLocalParam and v.name != CHOICE]
    for name in parameters:
        if name not in allowed:
            raise InputError(
                f"parameters.{name}: {module.name} has no such parameter; "
                f"allowed here: {', '.join(allowed)}"
            )
    refusals = [
        engine.formatMessage(diagnostic)
        for diagnostic in compilation.getAllDiagnostics()
        if diagnostic.isError()
    ]
    if refusals:
        raise InputError(f"parameters: {module.name} refuses them: {_outermost(refusals)}")
    numbers = {v.name: v.value.value for v in values}
    return Top(
        module=module.name,
        parameters={name: int(v) for name, v in numbers.items() if not isinstance(v, str)},
        outputs=module.find(INTERRUPTS).type.bitWidth,
    )


def _compile(top: str, parameters: Mapping[str, int | str]) -> tuple[Any, Any, Any]:
    """A module's instance, its compilation, and what words the diagnostics."""
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    # slang takes one string, in which quotation marks need a backslash. Of 32 bits: an address may
    # be beyond a SystemVerilog int.
    values = [
        f"-G{name}=" + (f'\\"{value}\\"' if isinstance(value, str) else f"32\\'d{value}")
        for name, value in parameters.items()
    ]
    folders = [f'-I"{cores.ROOT / folder}"' for folder in cores.includes()]
    sources = [f'"{cores.ROOT / file}"' for file in cores.sources(top)]
    command = ["slang", "--top", top, *folders, *values, *sources]
    if not (
        driver.parseCommandLine(" ".join(command))
        and driver.processOptions()
        and driver.parseAllSources()
    ):
        raise RuntimeError(f"slang does not take {top}")
    compilation = driver.createCompilation()
    (instance,) = compilation.getRoot().topInstances
    return instance.body, compilation, pyslang.DiagnosticEngine(driver.sourceManager)


def _outermost(messages: list[str]) -> str:
    """Of several refusals that of the module nearest to the top: the others follow from it."""
    told = [
        (where.count("."), sentence)
        for where, sentence in re.findall(
            r"^\$fatal encountered: (\S+): (.*)$", "\n".join(messages), re.M
        )
    ]
    return min(told)[1] if told else messages[0]
