"""The plugin of this package: vision. The tables are in `renga_cv.providers`."""

import sys

from renga_core.plugin import Namespace, Provider, hookimpl
from renga_cv.providers import classifiers, datasets, detectors, digits, evaluations, pictures, segmenters

_PARTS = (classifiers, datasets, detectors, digits, evaluations, pictures, segmenters)


@hookimpl
def renga_configure() -> None:
    """The configuration entries that choose the library for pictures."""
    # Listing plugins needs no configuration, which would import NumPy; `renga_cv.configuration` adds them otherwise.
    if "renga_core.configuration" in sys.modules:
        from renga_cv.configuration import add_entries

        add_entries()


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The names of `renga.cv`; several parts share one namespace."""
    modules: dict[str, dict[str, str]] = {}
    for namespace in (namespace for part in _PARTS for namespace in part.NAMESPACES):
        modules.setdefault(namespace.name, {}).update(namespace.names)
    return [Namespace(module, names=names) for module, names in modules.items()]


@hookimpl
def renga_commands() -> list[Provider]:
    """`weights`."""
    return [Provider("weights", "renga_cv.weights.command:run", 1, "convert weights that other programs have trained")]


@hookimpl
def renga_datasets() -> list[Provider]:
    """Scenes of digits, and the user's own pictures."""
    return digits.DATASETS


@hookimpl
def renga_models() -> list[Provider]:
    """Networks, small and large."""
    return [*classifiers.MODELS, *detectors.MODELS, *digits.MODELS, *segmenters.MODELS]


@hookimpl(optional=True)
def renga_tasks() -> list[Provider]:
    """Tasks for pictures."""
    return digits.TASKS


@hookimpl(optional=True)
def renga_evaluators() -> list[Provider]:
    """Evaluators of these tasks."""
    return digits.EVALUATORS


@hookimpl(optional=True)
def renga_converters() -> list[Provider]:
    """Converters of batches of pictures."""
    return digits.CONVERTERS
