"""Training runs described by data: what `renga train` does, for programs.

    from renga.run import build, load

    training = build(load("lenet", {"run.epochs": 5}))
    training.trainer.run()

- `run_file`: `RunDescription`, one run as a dataclass; `load` reads a run file, `describe` the settings as they are.
- `part`: looking up a thing that it names, and checking arguments against signatures. `run_parts`: all of them.
- `building`: `build`, from a description to a `Training`: trainer, model, optimizer, data. `precision`: its dtype.
- `program`: `run_program`, for programs of one's own whose settings stand in a TOML file.
- `predicting`: `Predictor`, a trained network that takes files and images; `renga.load` makes it of a run's folder.
- `folder`: what a run leaves behind. `length`: when it ends.
- `shipped`: the run files that come with Renga. `toml`: writing TOML.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga.run.building": "Training build",
        "renga.run.run_file": "Choice ExtensionChoice RunDescription describe load",
        "renga.run.predicting": "Predictor",
        "renga.run.program": "read_arguments run_program",
        "renga.run.shipped": "read_run shipped_runs",
    },
)
