"""What this plugin offers: `renga.inference`, and what it makes."""

from renga_core.plugin import Namespace, hookimpl


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """What users call."""
    return [
        Namespace(
            "renga",
            names={
                "renga_inference.freezing": "inference",
                "renga_inference.frozen": "FrozenModel",
                "renga_inference.storing": "load_inference",
            },
        )
    ]
