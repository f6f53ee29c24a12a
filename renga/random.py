"""Random numbers: `renga_core.random`."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.random": "generator get_state seed set_state",
    },
)
