"""What this package offers to Renga: vision. The tables are in `renga_cv.providers`."""

from renga_core.plugin import Namespace, hookimpl
from renga_cv.providers import classifiers, datasets, detectors, evaluations, pictures, segmenters

_PARTS = (classifiers, datasets, detectors, evaluations, pictures, segmenters)


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The names of `renga.cv`: what several parts put into one module is one namespace."""
    modules: dict[str, dict[str, str]] = {}
    for namespace in (namespace for part in _PARTS for namespace in part.NAMESPACES):
        modules.setdefault(namespace.name, {}).update(namespace.names)
    return [Namespace(module, names=names) for module, names in modules.items()]
