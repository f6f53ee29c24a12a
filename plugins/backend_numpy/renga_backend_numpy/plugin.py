"""What the NumPy backend offers: arrays on the CPU."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_array_backends() -> list[Provider]:
    """The backend ``numpy``."""
    return [
        Provider(
            name="numpy",
            target="renga_backend_numpy.backend:NumpyBackend",
            revision=1,
            summary="Arrays on the CPU",
            needs=("numpy",),
        )
    ]
