"""What the package offers: the command ``renga serve``."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """The command."""
    return [Provider("serve", "renga_serve.command:run", 1, "answer requests of HTTP with a trained network")]
