"""Training runs described by data: what `renga train` does, for programs.

    from renga.run import build, load

    training = build(load("lenet", {"run.epochs": 5}))
    training.trainer.run()

- `description`: `RunDescription`, one run as a dataclass; `load` reads a run file, `describe` the settings as they are.
- `parts`: looking up what it names, and checking arguments against signatures.
- `building`: `build`, from a description to a `Training`: trainer, model, optimizer, data. `precision`: its dtype.
- `program`: `run_program`, for programs of one's own whose settings stand in a TOML file.
- `folder`: what a run leaves behind. `length`: when it ends.
- `shipped`: the run files that come with Renga. `toml`: writing TOML.
"""

from .building import Training, build
from .description import Choice, ExtensionChoice, RunDescription, describe, load
from .program import read_arguments, run_program
from .shipped import read_run, shipped_runs

__all__ = [
    "Choice",
    "ExtensionChoice",
    "RunDescription",
    "Training",
    "build",
    "describe",
    "load",
    "read_arguments",
    "read_run",
    "run_program",
    "shipped_runs",
]
