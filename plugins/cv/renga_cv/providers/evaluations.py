"""Evaluations, as functions and as trainer extensions."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES = [
    Namespace(
        "renga.cv.chainer_experimental.training.extensions",
        names={"renga_cv.extensions.make_shift": "make_shift"},
    ),
]
