"""`PretrainedClassifier`: the base of networks with trained weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from renga_core.configuration import using_config
from renga_core.graph import Variable, no_backprop_mode
from renga_core.link import Chain
from renga_core.plugin import registry
from renga_core.serializers import FileFormat
from renga_core.settings import lookup
from renga_nn.links.caffe import CaffeFunction
from renga_nn.links.vision.images import as_network_input, ten_crops

__all__ = ["PretrainedClassifier"]


class PretrainedClassifier(Chain):
    """A network whose layers can be requested by name, and whose weights may come from a file.

    A subclass makes its children and then calls `load`; it defines `functions`, and `copy_from_caffe`.

    Attributes:
        mean: Subtracted from images: blue, green, red.
        file_name: Name of the file with weights that ``"auto"`` looks for.
        feature: The layer that `extract` returns by default.
        branches: Layers that do not follow the previous one in `functions`, and the layer that each follows.
    """

    mean: ClassVar[tuple[float, float, float]]
    file_name: ClassVar[str]
    feature: ClassVar[str]
    branches: ClassVar[Mapping[str, str]] = {}

    @property
    def functions(self) -> dict[str, list[Callable[[Any], Any]]]:
        """The callable of each layer, applied to the previous layer's result, in order."""
        raise NotImplementedError

    @property
    def available_layers(self) -> list[str]:
        """The names of all layers."""
        return list(self.functions)

    def copy_from_caffe(self, source: CaffeFunction) -> None:
        """Copy the weights of a network trained with Caffe."""
        raise NotImplementedError

    def load(self, pretrained_model: str | os.PathLike[str] | None) -> None:
        """Load weights from a file.

        Args:
            pretrained_model: An npz file, also one of Chainer's; a ``.caffemodel``; or ``"auto"``: the file `file_name`
                in the folder ``models`` of ``dataset.root``. Nothing is downloaded. None: do nothing.

        Raises:
            FileNotFoundError: The file does not exist; the message says where to put it.
            FileMismatched: The file contains another network.
            RengaPluginError: The plugin that reads Chainer's files is disabled.
        """
        if pretrained_model is None:
            return
        path = self._expected_path() if pretrained_model == "auto" else Path(pretrained_model)
        if not path.exists():
            name = type(self).__name__
            raise FileNotFoundError(
                f"{name}: no trained weights at {path}. They are not downloaded: put a file there that Chainer or "
                f"{name}.convert_caffemodel_to_npz(path_caffemodel, path_npz) has written, or pass "
                "pretrained_model=<its path>; pretrained_model=None starts with random weights."
            )
        if path.suffix == ".caffemodel":
            self.copy_from_caffe(CaffeFunction(path))
        else:
            # Chainer's own files contain pickled parts. This format also reads Renga's files.
            chainer_npz: FileFormat = registry("file_format").load("chainer_npz", origin=os.fspath(path))()
            chainer_npz.load(path, self)

    def _expected_path(self) -> Path:
        root = lookup("dataset.root").value
        if root is None:
            cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            root = Path(cache) / "renga" / "datasets"
        return Path(root).expanduser() / "models" / self.file_name

    @classmethod
    def convert_caffemodel_to_npz(
        cls, path_caffemodel: str | os.PathLike[str], path_npz: str | os.PathLike[str]
    ) -> None:
        """Convert weights trained with Caffe to a file for `pretrained_model`.

        Args:
            path_caffemodel: The Caffe file.
            path_npz: The file to write.
        """
        network: Any = cls  # subclasses accept a file
        made = network(pretrained_model=None)
        made.copy_from_caffe(CaffeFunction(path_caffemodel))
        npz: Any = registry("file_format").load("npz", origin=f"{cls.__name__}.convert_caffemodel_to_npz")()
        npz.save(path_npz, made, compression=False)

    def forward(self, x: Any, layers: Iterable[str] | None = None) -> dict[str, Variable]:
        """Compute layers, and only the layers that they depend on.

        Args:
            x: Images as `prepare` makes them, ``(N, 3, H, W)``.
            layers: Names of layers, from `available_layers`; default: ``["prob"]``, the probabilities of classes.

        Returns:
            The result of each layer, by name.

        Raises:
            ValueError: A layer does not exist.
        """
        wanted = {"prob"} if layers is None else set(layers)
        functions = self.functions
        unknown = sorted(wanted - functions.keys())
        if unknown:
            raise ValueError(f"{type(self).__name__} has no layers {unknown}; there are: {', '.join(functions)}")
        trunk = {self.branches.get(name, name) for name in wanted}
        computed: dict[str, Any] = {}
        h = x
        for name, steps in functions.items():
            if name in self.branches:
                if name not in wanted:
                    continue
                h = computed[self.branches[name]]
            elif not trunk:
                continue
            for step in steps:
                h = step(h)
            if name in wanted or name in trunk:
                computed[name] = h
            trunk.discard(name)
        return {name: computed[name] for name in functions if name in wanted}

    def prepare(self, image: Any, size: tuple[int, int] | None = (224, 224)) -> np.ndarray[Any, Any]:
        """Prepare an image for this network.

        Args:
            image: A Pillow image, or an array ``(H, W)``, ``(H, W, 3)`` or ``(3, H, W)`` in the order red, green, blue.
            size: Width and height to resize to; None: do not resize. Resizing an array needs Pillow.

        Returns:
            float32 ``(3, height, width)``, in the order blue, green, red, minus the mean.
        """
        return as_network_input(image, size, self.mean)

    def extract(
        self, images: Sequence[Any], layers: Iterable[str] | None = None, size: tuple[int, int] | None = (224, 224)
    ) -> dict[str, Variable]:
        """Compute layers of images, in the current mode and with a graph: set ``train`` to False before.

        Args:
            images: Images, as for `prepare`.
            layers: Names of layers; default: `feature`.
            size: Width and height to resize images to; None if they all have the same size.
        """
        return self.forward(self._batch(images, size), [self.feature] if layers is None else layers)

    def predict(self, images: Sequence[Any], oversample: bool = True) -> Variable:
        """Return class probabilities of images, ``(N, classes)``; computed in test mode and without a graph.

        Args:
            images: Images, as for `prepare`. They are resized to 256 × 256.
            oversample: Whether to average over crops of center and corners and their mirror images; otherwise only the
                center is used.
        """
        x = np.stack([self.prepare(image, (256, 256)) for image in images])
        x = ten_crops(x, (224, 224)) if oversample else x[:, :, 16:240, 16:240]
        with no_backprop_mode(), using_config("train", False):
            y = self.forward(self.device.send(x))["prob"]
            if oversample:
                y = y.reshape(len(images), 10, -1).mean(axis=1)
        return y

    def _batch(self, images: Sequence[Any], size: tuple[int, int] | None) -> Any:
        return self.device.send(np.stack([self.prepare(image, size) for image in images]))
