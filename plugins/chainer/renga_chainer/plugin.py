"""The command ``renga run-chainer``."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """`run-chainer`."""
    return [
        Provider(
            name="run-chainer",
            target="renga_chainer.runner:run",
            revision=1,
            summary="run a program written for Chainer",
        )
    ]
