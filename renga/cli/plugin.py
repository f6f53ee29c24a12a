"""Renga's own commands."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """Commands for training, for results of runs, for plugins and settings, and for authors of plugins."""

    def command(name: str, summary: str) -> Provider:
        return Provider(name=name, target=f"renga.cli.{name.replace('-', '_')}:run", revision=1, summary=summary)

    return [
        command("train", "train a model as a run file (TOML) describes"),
        command("evaluate", "evaluate a trained network on the test data"),
        command("predict", "apply a trained network to new files, or let it generate something"),
        command("export", "write a trained network to a file: ONNX, or its parameters alone"),
        command("compare", "compare runs: their settings, figures and curves side by side"),
        command("launch", "run a program as several processes that are connected by MPI"),
        command("profile", "measure where the time of a training step goes"),
        command("scale-model", "predict the time of an iteration on more devices"),
        command("config", "list every setting with its value and where the value comes from"),
        command("plugins", "list the plugins, show one, or explain why one is chosen"),
        command("kernels", "list the kernels of each operation, and why each is used or not"),
        command("check", "run the conformance tests of a kind on one of its providers"),
        command("new", "create a Python package with a new plugin"),
        command("stubs", "write stubs, so that type checkers and editors know the names of plugins"),
        command("doctor", "test this installation: compute on each backend"),
    ]
