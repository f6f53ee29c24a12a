"""Settings: one value, many places to say it, and always an answer to «where did that come from?».

To read one: `lookup("run.backend")` returns `Setting(key, value, origin)`. To change some for a while: `using`.

Precedence, highest first: argument in code, `with renga.using(...)`, command line, ``RENGA_*`` environment, the run's
TOML file, ``[tool.renga]`` in the nearest pyproject.toml, default.

- `schema`: the keys there are, as data; a new setting is a new row.
- `layers`: `lookup`, `using`, and how the command line and a run file take part.
- `files`, `environment`: reading the layers; every key is known and of the right type, or an error says which is not.
- `types`: checking a TOML value, or text, against an annotation.
- `errors`: what can be wrong.
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
