"""Extensions: those of `renga_training.extensions`, and of other plugins; the base to derive one from."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.training": "Extension",
    },
)
