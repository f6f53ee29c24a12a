"""Links one after the other: `renga_core.link.Sequential`, where Chainer has it."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.link": "Sequential",
    },
)
