"""The commands that Renga brings."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """`train` and the commands that tell what is installed, chosen and set."""

    def command(name: str, summary: str) -> Provider:
        return Provider(name=name, target=f"renga.cli.{name}:run", revision=1, summary=summary)

    return [
        command("train", "train a model as a TOML file describes"),
        command("config", "list every setting, its value and where it was said"),
        command("plugins", "list plugins, show one, or tell why something is chosen"),
        command("kernels", "list which kernel serves each operation, and why"),
        command("doctor", "try what is installed: run probes, compute on each backend"),
    ]
