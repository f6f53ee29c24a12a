"""What the plugin ``distributed`` provides."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators that need nothing installed."""
    return [
        Provider(
            name="single",
            target="renga_distributed.single:SingleCommunicator",
            revision=1,
            summary="one process, alone",
        ),
        Provider(
            name="threads",
            target="renga_distributed.threads:ThreadsCommunicator",
            revision=1,
            summary="ranks are threads of one process, for debugging and tests",
        ),
    ]


@hookimpl
def renga_extensions() -> list[Provider]:
    """What is of use in a run file."""
    return [
        Provider(
            name="learning_rate_warmup",
            target="renga_distributed.extensions:LearningRateWarmup",
            revision=1,
            summary="The learning rate for large batches: scaled, after a gradual warm-up",
        )
    ]
