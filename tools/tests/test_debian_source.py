# SPDX-License-Identifier: Apache-2.0
"""tools/debian.py: a package's source out of an archive, by apt and dpkg, from an archive of the
test's own."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from tools import debian
from tools.debian import Source, UnavailableError

PATCH = """\
--- a/hello
+++ b/hello
@@ -1 +1 @@
-of its makers
+of Debian
"""
# The archive of a test has no signature.
UNSIGNED = 'Acquire::AllowInsecureRepositories "true";\nAPT::Get::AllowUnauthenticated "true";\n'


class Archive:
    """A folder that apt takes packages' sources from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, suite: str, version: str) -> None:
        """Version `version` of package sample, with a patch, in a suite."""
        upstream = version.partition(":")[2].rpartition("-")[0]
        work = self.folder / "work"
        tree = work / "sample"
        (tree / "debian" / "patches").mkdir(parents=True)
        (tree / "debian" / "source").mkdir()
        (tree / "hello").write_text("of its makers\n")
        orig = work / f"sample_{upstream}.orig.tar.xz"
        subprocess.run(
            ["tar", "-cJf", str(orig), "--exclude=debian", "-C", str(work), "sample"], check=True
        )
        for name, text in {
            "source/format": "3.0 (quilt)\n",
            "patches/series": "sample.patch\n",
            "patches/sample.patch": PATCH,
            "control": textwrap.dedent("""\
                Source: sample
                Maintainer: A Test <test@example.org>
                Standards-Version: 4.6.2

                Package: sample
                Architecture: any
                Description: sample
                """),
            "changelog": f"sample ({version}) {suite}; urgency=low\n\n  * Sample.\n\n"
            " -- A Test <test@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n",
        }.items():
            (tree / "debian" / name).write_text(text)
        pool = self.folder / "pool" / suite
        index = self.folder / "dists" / suite / "main" / "source"
        pool.mkdir(parents=True)
        index.mkdir(parents=True)
        subprocess.run(["dpkg-source", "-b", "sample"], cwd=work, check=True, capture_output=True)
        for file in work.glob("sample_*"):
            shutil.move(file, pool)
        listed = subprocess.run(
            ["dpkg-scansources", f"pool/{suite}"], cwd=self.folder, check=True, capture_output=True
        )
        (index / "Sources").write_bytes(listed.stdout)
        shutil.rmtree(work)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    for program in ("dpkg-source", "apt-get"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    if not debian.KEYRING.exists():
        pytest.skip(f"there is no {debian.KEYRING} here")
    own = debian.configure

    def configure(cache: Path, kind: str, suites: tuple[str, ...]) -> None:
        own(cache, kind, suites)
        with (cache / "apt.conf").open("a") as file:
            file.write(UNSIGNED)

    monkeypatch.setattr(debian, "configure", configure)
    monkeypatch.setattr(debian, "mirror", lambda: f"file:{tmp_path / 'archive'}")
    return Archive(tmp_path / "archive")


def sample(folder: Path, *suites: str) -> Source:
    return Source("sample", suites, (11, 0), folder / "cache")


def test_the_first_suite_that_has_it_is_used(tmp_path: Path, archive: Archive) -> None:
    archive.add("old", "1:10.2.1+ds-3")
    archive.add("new", "1:11.1.3+ds-1~bpo13+1")
    archive.add("newest", "1:12.0.0-1")
    source = sample(tmp_path, "old", "new", "newest")
    assert not source.fetched
    assert source.fetch() == "1:11.1.3+ds-1~bpo13+1"
    assert source.fetched
    assert (source.tree / "hello").read_text() == "of Debian\n"


def test_what_is_there_is_not_fetched_again(tmp_path: Path, archive: Archive) -> None:
    archive.add("new", "1:11.1.3+ds-1")
    source = sample(tmp_path, "new")
    source.fetch()
    shutil.rmtree(archive.folder)
    assert source.fetch() == "1:11.1.3+ds-1"


def test_a_source_that_is_too_old_is_refused(tmp_path: Path, archive: Archive) -> None:
    archive.add("old", "1:10.2.1+ds-3")
    archive.add("older", "1:9.0-1")
    source = sample(tmp_path, "old", "older")
    with pytest.raises(UnavailableError) as error:
        source.fetch()
    assert str(error.value) == (
        "the source of sample 11.0 or newer is not in Debian's old or older"
    )
    assert not source.fetched


def test_a_source_that_the_archive_only_lists_is_refused(tmp_path: Path, archive: Archive) -> None:
    archive.add("new", "1:11.1.3+ds-1")
    shutil.rmtree(archive.folder / "pool")
    source = sample(tmp_path, "new")
    with pytest.raises(UnavailableError) as error:
        source.fetch()
    assert re.fullmatch(
        r"the source of sample 1:11\.1\.3\+ds-1 of Debian new: 'apt-get .*' failed: E: .*"
        r"sample_11\.1\.3\S+ .*",
        str(error.value),
    )
    assert not source.fetched


def test_where_one_suites_files_are_missing_the_next_suite_is_used(
    tmp_path: Path, archive: Archive
) -> None:
    archive.add("new", "1:11.1.3+ds-1~bpo13+1")
    archive.add("newest", "1:12.0.0-1")
    shutil.rmtree(archive.folder / "pool" / "new")
    assert sample(tmp_path, "new", "newest").fetch() == "1:12.0.0-1"
    shutil.rmtree(archive.folder / "pool")
    with pytest.raises(UnavailableError, match=r"of Debian new: .*; .*of Debian newest: "):
        sample(tmp_path / "other", "new", "newest").fetch()


def test_where_one_suite_is_not_there_the_next_is_used(tmp_path: Path, archive: Archive) -> None:
    archive.add("newest", "1:12.0.0-1")
    assert sample(tmp_path, "gone", "newest").fetch() == "1:12.0.0-1"
    shutil.rmtree(archive.folder / "pool")
    with pytest.raises(UnavailableError, match=r"'apt-get .*gone.*; .*of Debian newest: "):
        sample(tmp_path / "other", "gone", "newest").fetch()


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("1:11.1.3+ds-1~bpo13+1", (11, 1, 3)),
        ("11.0-1", (11, 0)),
        ("1:12.0.0~rc1+ds-2", (12, 0, 0)),
        ("unknown", ()),
    ],
)
def test_numbers_of_a_version(version: str, numbers: tuple[int, ...]) -> None:
    assert debian.upstream(version) == numbers
