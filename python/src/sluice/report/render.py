# SPDX-License-Identifier: Apache-2.0
"""Templates, and one result as a section of a page: what its kind says, in its template."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sluice.report.section import Reported, Section

TEMPLATES = Path(__file__).parent / "templates"
_SECTION = TEMPLATES / "section.html"


@cache
def environment(folder: Path) -> Environment:
    """Return what renders the templates in a folder; every value is escaped."""
    return Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(
    section: Section,
    result: Reported,
    anchor: str,
    unit: str,
    data: Sequence[tuple[str, str]],
) -> Markup:
    """Return the HTML of a section.

    `data` names the files that have its figures, and says what is in each.
    """
    template = section.template or _SECTION
    command = f"{result.provenance.command} --json {result.experiment}.json"
    html = (
        environment(template.parent)
        .get_template(template.name)
        .render(
            section.values,
            anchor=anchor,
            result=result,
            section=section,
            unit=unit,
            data=data,
            wrong=sum(row.wrong for row in result.rows),
            facts=_facts(result, section.facts).items(),
            again=section.again or command,
            file=section.file or f"{result.experiment}.json",
        )
    )
    return Markup(html)  # noqa: S704  (the template has escaped every value)


def _facts(result: Reported, of_kind: Mapping[str, str]) -> dict[str, str]:
    """Return under what conditions a result was measured."""
    known = result.provenance
    facts = {}
    if known.started is not None and known.elapsed_s is not None:
        started = known.started.replace("T", " ").replace("+00:00", " UTC")
        facts["Measured"] = f"{started}, in {known.elapsed_s:.0f} s"
    facts |= of_kind
    facts["Versions"] = ", ".join(
        f"{name.replace('_', '-')} {version}" for name, version in known.versions
    )
    facts["Commit"] = known.commit or "not from a checkout"
    if (machine := known.machine) is not None:
        facts["Machine"] = f"{machine.processor}, {machine.cores} cores, {machine.system}"
    return facts
