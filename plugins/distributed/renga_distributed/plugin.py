"""What the plugin ``distributed`` provides."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_communicators() -> list[Provider]:
    """The communicator of a single process."""
    return [
        Provider(
            name="single",
            target="renga_distributed.single:SingleCommunicator",
            revision=1,
            summary="one process, alone",
        )
    ]
