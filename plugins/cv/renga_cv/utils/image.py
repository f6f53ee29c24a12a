"""Read, write and tile pictures and labels. Files need Pillow (extra ``cv``)."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from renga_core.configuration import config
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, require_array
from renga_core.serializers import FileRefused
from renga_cv.configuration import library_for
from renga_cv.transforms.image.expand import filling
from renga_cv.utils.checks import require_image
from renga_data.datasets.file_errors import check_growth, reading
from renga_serializers.atomic import atomic_write
from renga_serializers.optional import require

__all__ = ["read_image", "read_label", "tile_images", "write_image"]

Host = np.ndarray[Any, Any]
Path = str | os.PathLike[str]

_SMALL = 1 << 27
"""Size in memory that is allowed for any file, even a very small one: 44 million pixels in colour."""

_BACKGROUNDS = {"ignore": None, "blend_with_white": 255, "blend_with_black": 0}


def read_image(file: Path | IO[bytes], dtype: Any = np.float32, color: bool = True, alpha: str | None = None) -> Host:
    """Read a picture.

    The picture is rotated as the file says (EXIF). CMYK becomes RGB; 16 bits per channel are scaled to 0 to 255. If
    configuration entry ``cv_read_image_backend`` is ``"cv2"``, OpenCV decodes pictures of 8 bits without transparency.
    Here None means Pillow; see `renga_cv.configuration`.

    Args:
        file: A path, or an open file.
        dtype: Dtype of the array.
        color: Return RGB. If False, return one grey channel.
        alpha: What to do with transparent pixels: ``"ignore"`` the transparency, or ``"blend_with_white"`` or
            ``"blend_with_black"``. None: refuse the picture.

    Returns:
        Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255.

    Raises:
        FileRefused: The file is not a picture, is damaged or cut short, or is far larger in memory than on disk; or the
            range of its pixels is unknown (32 bits).
        ValueError: Pixels are transparent and `alpha` is None, or `alpha` has another value.
        OSError: The file is missing.
        RengaError: Pillow is not installed.
    """
    if alpha is not None and alpha not in _BACKGROUNDS:
        known = ", ".join(map(repr, _BACKGROUNDS))
        raise ValueError(f"read_image: alpha is {alpha!r}; choose from None, {known}")
    by_cv2 = getattr(config, "cv_read_image_backend", None) is not None and library_for("read_image") == "cv2"
    require("PIL", "read_image", "cv")
    from PIL import Image, ImageOps

    name, size = _name_and_size(file)
    transparent = False
    with reading(name, "a picture"), Image.open(file) as image:
        _check(name, size, image)
        transparent = "A" in image.getbands() or "transparency" in image.info
        if not transparent or alpha is not None:
            if by_cv2 and not transparent and image.mode in ("L", "RGB"):
                return _decode_by_cv2(image.fp, color).astype(dtype)
            image.load()
            upright = ImageOps.exif_transpose(image)
            if upright.mode.startswith("I"):
                return _from_16_bits(np.asarray(upright), dtype, color)
            if transparent:
                upright = _without_alpha(upright.convert("RGBA"), _BACKGROUNDS[str(alpha)])
            pixels = np.asarray(upright.convert("RGB" if color else "L"), dtype)
            return pixels.transpose(2, 0, 1) if color else pixels[None]
    raise ValueError(
        f"{name}: read_image: pixels are transparent. Next: choose how to handle them, for example alpha='ignore'"
    )


def read_label(file: Path | IO[bytes], dtype: Any = np.int32) -> Host:
    """Read a label for each pixel: the values of a grey picture, or the palette indices.

    Args:
        file: A path, or an open file.
        dtype: Dtype of the array.

    Returns:
        Labels ``(H, W)``.

    Raises:
        FileRefused: See `read_image`; or the picture has several channels.
        OSError: The file is missing.
        RengaError: Pillow is not installed.
    """
    require("PIL", "read_label", "cv")
    from PIL import Image

    name, size = _name_and_size(file)
    with reading(name, "a picture"), Image.open(file) as image:
        _check(name, size, image)
        if len(image.getbands()) != 1:
            raise FileRefused(name, f"it has channels {', '.join(image.getbands())}; labels have one, or a palette")
        image.load()
        return np.asarray(image).astype(dtype)


def write_image(img: Host, file: Path | IO[bytes], format: str | None = None) -> None:
    """Write a picture to a file. If it fails, no partial file is left.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. Other values are clipped; fractions are rounded.
        file: A path, or an open file.
        format: ``"png"``, ``"jpeg"`` and so on, as Pillow names it. None: the suffix of the path decides.

    Raises:
        InvalidType: `img` is not an image of one or three channels.
        ValueError: A pixel is NaN, or the format is unknown.
        OSError: The file cannot be written.
        RengaError: Pillow is not installed.
    """
    require_image("write_image", img)
    if len(img) not in (1, 3):
        raise InvalidType("write_image", "img", "an image of 1 or 3 channels", describe_array(img))
    if img.dtype.kind == "f" and np.isnan(img).any():
        raise ValueError("write_image: img has pixels that are not a number (NaN)")
    require("PIL", "write_image", "cv")
    from PIL import Image

    kind = _format(file, format)
    pixels = np.rint(np.clip(img, 0, 255)).astype(np.uint8)
    image = Image.fromarray(pixels[0] if len(pixels) == 1 else np.ascontiguousarray(pixels.transpose(1, 2, 0)))
    if isinstance(file, (str, os.PathLike)):
        with atomic_write(file) as opened:
            image.save(opened, kind)
    else:
        image.save(file, kind)


def tile_images(imgs: Any, n_col: int, pad: int | Sequence[int] = 2, fill: Any = 0) -> Host:
    """Tile images into one image, row by row, with space between them.

    Args:
        imgs: Images of one size, ``(N, C, H, W)``.
        n_col: Number of images in a row.
        pad: Pixels between two images: one number, or one for rows and one for columns.
        fill: The value of the space: a number, or one for each channel.

    Returns:
        Image ``(C, H', W')`` of the same dtype.

    Raises:
        InvalidType: `imgs` is not an array of images, or is empty.
        ValueError: `n_col` or `pad` is too small, or `fill` has neither one number nor one for each channel.

    >>> import numpy as np
    >>> tile_images([np.zeros((3, 8, 8))] * 4, n_col=2, pad=0).shape
    (3, 16, 16)
    """
    imgs = np.asarray(imgs)
    require_array("tile_images", "imgs", imgs)
    if imgs.ndim != 4 or 0 in imgs.shape:
        raise InvalidType("tile_images", "imgs", "images (N, C, H, W), at least one", describe_array(imgs))
    y_pad, x_pad = (pad, pad) if isinstance(pad, int) else pad
    if n_col < 1 or min(y_pad, x_pad) < 0:
        raise ValueError(f"tile_images: n_col is {n_col}, pad is {pad}; they must be at least 1 and 0")
    number, channels, height, width = imgs.shape
    columns = min(n_col, number)
    rows = math.ceil(number / columns)
    size = rows * (height + y_pad) - y_pad, columns * (width + x_pad) - x_pad
    tiled = np.empty((channels, *size), imgs.dtype)
    tiled[:] = filling("tile_images", imgs[0], fill)
    for i, img in enumerate(imgs):
        y, x = i // columns * (height + y_pad), i % columns * (width + x_pad)
        tiled[:, y : y + height, x : x + width] = img
    return tiled


def _name_and_size(file: Path | IO[bytes]) -> tuple[str, int]:
    """Return a file's name, for messages, and its remaining size in bytes; 0 if unknown."""
    if isinstance(file, (str, os.PathLike)):
        return os.fspath(file), os.stat(file).st_size
    name = str(getattr(file, "name", "an open file"))
    if not file.seekable():
        return name, 0
    place = file.tell()
    size = file.seek(0, os.SEEK_END) - place
    file.seek(place)
    return name, size


def _check(name: str, size: int, image: Any) -> None:
    """Raise an error if a picture takes far more memory than its file, or the range of its pixels is unknown."""
    wide = image.mode in ("I", "F")
    check_growth(name, image.width * image.height * len(image.getbands()) * (4 if wide else 1), size, free=_SMALL)
    # Before Pillow 10.3 a grey PNG of 16 bits has mode I, too.
    if wide and image.format != "PNG":
        raise FileRefused(name, f"its pixels have 32 bits (Pillow's mode {image.mode}); the value of white is unknown")


def _without_alpha(image: Any, background: int | None) -> Any:
    from PIL import Image

    if background is None:
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, (background, background, background, 255)), image)


def _from_16_bits(pixels: Host, dtype: Any, color: bool) -> Host:
    grey = pixels[None].astype(np.float64) / 257
    if np.dtype(dtype).kind in "iu":
        grey = np.rint(grey)
    return np.repeat(grey, 3 if color else 1, axis=0).astype(dtype)


def _decode_by_cv2(file: Any, color: bool) -> Host:
    """Decode an opened picture with OpenCV. OpenCV accepts files that are cut short, so check the end first."""
    import cv2

    file.seek(0)
    content = file.read()
    if content[:2] == b"\xff\xd8" and content.rfind(b"\xff\xd9") < content.rfind(b"\xff\xda"):
        raise ValueError("the end of the JPEG file is missing")
    if content[:4] == b"\x89PNG" and b"IEND" not in content[-4096:]:
        raise ValueError("the end of the PNG file is missing")
    found = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR if color else cv2.IMREAD_GRAYSCALE)
    if found is None:
        raise ValueError("OpenCV cannot decode it")
    decoded: Host = found[:, :, ::-1].transpose(2, 0, 1) if color else found.reshape(1, *found.shape[:2])
    return decoded


def _format(file: Path | IO[bytes], format: str | None) -> str:
    """Return Pillow's name of the format to write."""
    from PIL import Image

    if format is None:
        if not isinstance(file, (str, os.PathLike)):
            raise ValueError("write_image: an open file has no suffix that tells the format. Next: give format='png'")
        ending = os.path.splitext(file)[1].lower()
        found = Image.registered_extensions().get(ending)
        if found is None:
            raise ValueError(
                f"write_image: {os.fspath(file)}: no format has the suffix {ending!r}; use for example .png"
            )
        return found
    Image.init()
    if format.upper() not in Image.SAVE:
        raise ValueError(f"write_image: unknown format {format!r}; known: {', '.join(sorted(Image.SAVE))}")
    return format.upper()
