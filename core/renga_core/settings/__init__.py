"""Settings: each has one value, which may come from several places, and a record of where it came from.

`lookup("run.backend")` reads a setting and returns `Setting(key, value, origin)`. `using` changes settings temporarily.

Precedence, highest first: argument in code, `with renga.using(...)`, command line, ``RENGA_*`` environment, the run's
TOML file, ``[tool.renga]`` in the nearest pyproject.toml, default.

- `schema`: the table of keys; a new setting is a new row.
- `layers`: `lookup`, `using`, and the layers for the command line and a run file.
- `files`, `environment`: read the layers, and report unknown keys and wrong types.
- `types`: checks a TOML value, or text, against an annotation.
- `errors`: errors of settings.
"""

from .errors import InvalidFile, SettingsError, UnknownSetting, WrongType
from .files import Setting, read_run_file, read_toml
from .layers import all_settings, lookup, section, settings_state, using, using_command_line, using_run_file
from .schema import SCHEMA, Key
from .types import describe, fit, parse

__all__ = [
    "SCHEMA",
    "InvalidFile",
    "Key",
    "Setting",
    "SettingsError",
    "UnknownSetting",
    "WrongType",
    "all_settings",
    "describe",
    "fit",
    "lookup",
    "parse",
    "read_run_file",
    "read_toml",
    "section",
    "settings_state",
    "using",
    "using_command_line",
    "using_run_file",
]
