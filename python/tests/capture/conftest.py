# SPDX-License-Identifier: Apache-2.0
"""A disk that is soon full."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if not mount or not unmount:
        pytest.skip("there is no mount on the PATH")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user mounts no file system")
    yield folder
    subprocess.run([unmount, str(folder)], check=True)
