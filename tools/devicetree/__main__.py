# SPDX-License-Identifier: Apache-2.0
"""Device trees of designs.

With FILE, a design of one's own in the logic of a Zynq, prints its device-tree overlay. Without,
writes the overlays of this project's designs, those that driver/overlays/designs.toml names.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sluice.errors import InputError

from tools import generated
from tools.cores import ROOT
from tools.regs.model import RegistersError

from . import generate

EPILOG = """\
example, my_design.toml: two AXI DMAs in loop-back, built with NumPorts = 2, at 0x43c00000

  chip = "zynq7020"
  design = "dma_loopback"
  base = 0x43c0_0000
  fclk = 0
  clock_hz = 125_000_000
  interrupts = [8, 9, 10, 11]
  irq_delay = 8
  [parameters]
  NumPorts = 2

  python -m tools.devicetree my_design.toml -o my_design.dtso
  dtc -@ -O dtb -o my_design.dtbo my_design.dtso

every key: docs/reference/design-toml.md
exit status: 0 done, or nothing differs; 1 --check found differences; 2 wrong input
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.devicetree",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a design of your own")
    parser.add_argument("-o", "--output", type=Path, metavar="DTSO", help="write the overlay there")
    parser.add_argument(
        "--check", action="store_true", help="without FILE: write nothing, report differences"
    )
    options = parser.parse_args(arguments)
    if options.file and options.check:
        parser.error("--check compares this project's overlays; leave out FILE")
    if options.output and not options.file:
        parser.error("-o needs FILE, the description of a design")
    try:
        if not options.file:
            return generated.settle(
                ROOT,
                generate.render(),
                generate.present(ROOT),
                check=options.check,
                command="python -m tools.devicetree",
            )
        overlay = generate.own(options.file)
        if options.output:
            options.output.write_text(overlay, encoding="utf-8")
        else:
            sys.stdout.write(overlay)
    except InputError as error:
        print(f"tools.devicetree: {error}", file=sys.stderr)
        return 2
    except RegistersError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"tools.devicetree: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
