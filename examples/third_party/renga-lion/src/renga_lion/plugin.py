"""What this distribution offers. Renga imports this module to list it, so it imports nothing heavy."""

from renga import Provider, hookimpl


@hookimpl
def renga_optimizers() -> list[Provider]:
    """The optimizer ``lion``."""
    return [
        Provider(name="lion", target="renga_lion.lion:Lion", revision=1, summary="Lion: the sign of a mixed momentum")
    ]


@hookimpl
def renga_models() -> list[Provider]:
    """The model ``mixer``."""
    return [Provider(name="mixer", target="renga_lion.mixer:Mixer", revision=1, summary="A small MLP-Mixer for images")]
