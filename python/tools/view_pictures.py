# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of docs/howto/capture-a-stream.md again: a page in Chromium, torn frames.

`python python/tools/view_pictures.py` captures on simulated boards and writes docs/images/view-*.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "tests"))

from browser import Browser, find_browser  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SLUICE = (sys.executable, "-m", "sluice")
FILM = (
    "capture", "sim:zynq7010/capture_32?level=transaction", "hp0.s2mm", "--picture", "rgb565",
    "--size", "640x480", "--periods", "6", "--sink-rate", "160MB/s", "--frames", "120",
)  # fmt: skip
TORN = (
    "capture", "sim:zynq7010/capture_acp?level=transaction&clock_mhz=250", "acp0.s2mm",
    "--rate", "1200MB/s", "--picture", "rgb565", "--size", "320x240", "--frames", "3",
)  # fmt: skip


def main() -> int:
    """Write the pictures."""
    program = find_browser()
    if program is None:
        print("no Chromium or Chrome on the PATH", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in ((*FILM, "-o", "film"), (*TORN, "--view", "torn/")):
            subprocess.run([*SLUICE, *words], cwd=folder, check=True)  # noqa: S603 - as above
        (IMAGES / "view-torn.png").write_bytes((folder / "torn" / "contact.png").read_bytes())
        server = subprocess.Popen(  # noqa: S603 - as above
            [*SLUICE, "view", "film", "--view", "page"],
            cwd=folder, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            said = "" if server.stderr is None else server.stderr.readline()
            url = said.rpartition(" ")[2].strip()
            with Browser(program) as browser:
                browser.emulate(width=1280, dark=True)
                browser.open(url)
                browser.until("current > 0")
                browser.evaluate("stop(), ask(77)")
                browser.until("current === 77 && !busy")
                (IMAGES / "view-page.png").write_bytes(browser.screenshot())
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
