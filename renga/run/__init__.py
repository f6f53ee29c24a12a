"""Training runs described by a file or a dataclass: the library behind `renga train`.

    from renga.run import build, load

    training = build(load("lenet", {"run.epochs": 5}))
    training.trainer.run()

- `run_file`: `RunDescription`, a run as a dataclass; `load` reads a run file, `describe` the current settings.
- `part`: looks up one named part and checks its arguments. `run_parts`: looks up all parts of a run.
- `building`: `build` makes a `Training` (trainer, model, optimizer, data) from a description. `precision`: its dtype.
- `program`: `run_program`, for programs that read their settings from a TOML file.
- `predicting`: `Predictor`, a trained network that takes files and images; `renga.load` makes it from a run's folder.
- `folder`: the files in a run's folder. `length`: when a run ends.
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
