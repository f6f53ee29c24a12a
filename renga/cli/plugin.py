"""The commands that Renga brings."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """`train`, what is done with its runs, what is installed, chosen and set, and commands for authors of plugins."""

    def command(name: str, summary: str) -> Provider:
        return Provider(name=name, target=f"renga.cli.{name.replace('-', '_')}:run", revision=1, summary=summary)

    return [
        command("train", "train a model as a TOML file describes"),
        command("evaluate", "compute the figures of a trained network on the test data"),
        command("predict", "what a trained network says of new files, or makes by itself"),
        command("export", "save a trained network alone"),
        command("launch", "run a program on several processes that MPI connects"),
        command("profile", "tell where the time of a training step goes"),
        command("scale-model", "predict how long an iteration takes with more devices"),
        command("config", "list every setting, its value and where it was said"),
        command("plugins", "list plugins, show one, or tell why something is chosen"),
        command("kernels", "list which kernel serves each operation, and why"),
        command("check", "apply the conformance kit to something that a plugin provides"),
        command("new", "write a distribution with a new plugin, ready to install and to fill in"),
        command("stubs", "tell type checkers and editors which names plugins have in renga.functions …"),
        command("doctor", "try what is installed: run probes, compute on each backend"),
    ]
