"""Which library reads, resizes and rotates pictures: OpenCV or Pillow.

Three configuration entries choose it, each None, ``"cv2"`` or ``"PIL"``: ``cv_read_image_backend``,
``cv_resize_backend`` and ``cv_rotate_backend``. Renga creates them, as None, when it loads its plugins. None means
OpenCV if it is installed, else Pillow::

    with renga.using_config("cv_resize_backend", "PIL"):
        small = renga.cv.transforms.resize(img, (32, 32))

The two differ: when a picture becomes smaller, Pillow averages over all its pixels, OpenCV only over the nearest ones.
ChainerCV's authors resized pictures with OpenCV for their published results.
"""

from __future__ import annotations

import importlib.util

from renga_core.configuration import config, global_config
from renga_serializers.optional import require

__all__ = ["add_entries", "library_for"]


def add_entries() -> None:
    """Set entries that have no value yet to their default, None, in all threads."""
    for operation in ("read_image", "resize", "rotate"):
        if not hasattr(global_config, _entry(operation)):
            setattr(global_config, _entry(operation), None)


def library_for(operation: str) -> str:
    """Return the library for an operation: ``"cv2"`` or ``"PIL"``.

    Args:
        operation: ``"read_image"``, ``"resize"`` or ``"rotate"``.

    Raises:
        ValueError: The entry of the configuration names another library.
        RengaError: The library is not installed.
    """
    entry = _entry(operation)
    library = getattr(config, entry, None)
    if library is None:
        library = "PIL" if importlib.util.find_spec("cv2") is None else "cv2"
    if library not in ("cv2", "PIL"):
        raise ValueError(f"configuration entry {entry} is {library!r}; choose None, 'cv2' or 'PIL'")
    require(library, f"{operation} ({entry} = {library!r})", "cv" if library == "PIL" else "opencv")
    return str(library)


def _entry(operation: str) -> str:
    return f"cv_{operation}_backend"


add_entries()
