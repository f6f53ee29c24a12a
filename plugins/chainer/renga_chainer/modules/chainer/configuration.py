"""``chainer.configuration``."""

from __future__ import annotations

import sys
import threading
from typing import Any, TextIO

from renga_core.configuration import config as config
from renga_core.configuration import global_config as global_config
from renga_core.configuration import using_config as using_config

__all__ = ["GlobalConfig", "LocalConfig", "config", "global_config", "using_config"]


class GlobalConfig:
    """A program's own configuration, the same in all threads. `global_config` is Renga's."""

    def show(self, file: TextIO | None = None) -> None:
        """Print each entry, one per line (default: standard output)."""
        _show(self, sorted(vars(self)), file)


class LocalConfig(threading.local):
    """A program's own configuration in each thread. Missing entries come from a `GlobalConfig`.

    Args:
        global_config: Configuration with the defaults.
    """

    def __init__(self, global_config: GlobalConfig) -> None:
        vars(self)["_global"] = global_config

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_global"], name)

    def show(self, file: TextIO | None = None) -> None:
        """Print each entry and its value in this thread, one per line (default: standard output)."""
        own = vars(self)
        _show(self, sorted({*vars(own["_global"]), *own} - {"_global"}), file)


def _show(holder: Any, names: list[str], file: TextIO | None) -> None:
    width = max(map(len, names), default=0)
    for name in names:
        print(f"{name:{width}} {getattr(holder, name)}", file=file or sys.stdout)
