"""The commands ``renga run-chainer`` and ``renga port``."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """`run-chainer` and `port`."""
    return [
        Provider(
            name="run-chainer",
            target="renga_chainer.runner:run",
            revision=1,
            summary="run a program written for Chainer",
        ),
        Provider(
            name="port",
            target="renga_chainer.port.command:run",
            revision=1,
            summary="rewrite a program for Chainer to Renga's own API",
        ),
    ]
