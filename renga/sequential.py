"""`Sequential`: links in sequence (`renga_core.link.Sequential`), under the name of Chainer's module."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.link": "Sequential",
    },
)
