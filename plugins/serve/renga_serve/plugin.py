"""What the package registers: the commands ``renga serve`` and ``renga watch``."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """The commands."""
    return [
        Provider("serve", "renga_serve.command:run", 1, "answer HTTP requests with a trained network"),
        Provider("watch", "renga_serve.watch_command:run", 1, "show a run in the browser while it trains"),
    ]
