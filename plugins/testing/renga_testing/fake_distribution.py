"""Writes a distribution as an installer would, to test discovery of plugins and handling of bad ones."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["write_distribution"]


def write_distribution(
    folder: str | Path,
    name: str,
    version: str = "1.0",
    modules: Mapping[str, str] | None = None,
    entry_points: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    requires: Iterable[str] = (),
) -> Path:
    """Write modules and a ``*.dist-info`` folder into `folder`. On ``sys.path``, it looks as if installed by pip.

    Args:
        folder: Folder to write to; created if missing.
        name: Name of the distribution, ``acme-optim``.
        version: Its version.
        modules: Source by dotted name; common indentation is removed. Parent packages are created.
        entry_points: Entries of ``[project.entry-points.renga]``: a mapping, or pairs if a name occurs twice.
        requires: Lines of ``Requires-Dist``, ``renga>=0.1``.

    Returns:
        The ``*.dist-info`` folder.

    Example:
        ::

            write_distribution(
                tmp_path,
                "acme-optim",
                modules={"acme.plugin": "raise RuntimeError('no licence')"},
                entry_points={"acme": "acme.plugin"},
            )
            monkeypatch.syspath_prepend(tmp_path)
    """
    folder = Path(folder)
    modules = dict(modules or {})
    for module in list(modules):
        while "." in module:
            module = module.rpartition(".")[0]
            modules.setdefault(module, "")
    packages = {module.rpartition(".")[0] for module in modules}
    files = {}
    for module, source in modules.items():
        path = module.replace(".", "/") + ("/__init__.py" if module in packages else ".py")
        files[path] = textwrap.dedent(source)
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    files[f"{info}/METADATA"] = "".join(f"{line}\n" for line in [*metadata, *(f"Requires-Dist: {r}" for r in requires)])
    pairs = entry_points.items() if isinstance(entry_points, Mapping) else entry_points
    files[f"{info}/entry_points.txt"] = "[renga]\n" + "".join(f"{left} = {right}\n" for left, right in pairs)
    files[f"{info}/INSTALLER"] = "pip\n"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    record = [f"{path},{_digest(text)},{len(text.encode())}" for path, text in files.items()]
    (folder / info / "RECORD").write_text("\n".join([*record, f"{info}/RECORD,,"]) + "\n", encoding="utf-8")
    return folder / info


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
