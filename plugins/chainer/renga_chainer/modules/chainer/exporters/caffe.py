"""``chainer.exporters.caffe``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from renga_chainer.modules.chainer.exporters._caffe_files import caffemodel, prototxt
from renga_chainer.modules.chainer.exporters._caffe_graph import Recorder, steps_behind
from renga_chainer.modules.chainer.exporters._caffe_layers import layers_of
from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.graph.modes import force_backprop_mode
from renga_serializers.atomic import atomic_write

__all__ = ["export"]


def export(
    model: Callable[..., Any],
    args: Sequence[Variable],
    directory: str | os.PathLike[str] | None = None,
    export_params: bool = True,
    graph_name: str = "Graph",
) -> None:
    """Write the network that `model` computes, in test mode, in Caffe's format.

    Supported functions: ``linear``, ``convolution_2d``, ``deconvolution_2d``, ``max_pooling_2d``,
    ``average_pooling_2d``, ``batch_normalization``, ``local_response_normalization``, ``relu``, ``leaky_relu``,
    ``sigmoid``, ``softmax``, ``concat``, ``reshape`` and the addition of two arrays.

    Args:
        model: Callable for `args`. It returns a Variable, or a tuple or list of Variables.
        args: List of one Variable, which becomes the blob ``data``.
        directory: Folder for ``chainer_model.prototxt`` and ``chainer_model.caffemodel``. If None, the network is only
            checked.
        export_params: Whether to write the weights (``.caffemodel``).
        graph_name: Name of the network.

    Raises:
        AssertionError: `args` or the result of `model` has another type.
        NotImplementedError: `args` has several Variables, or Caffe or this exporter does not support a function. Then
            nothing is written.

    Warns:
        UserWarning: The layer in Caffe computes another result, because its pooling covers all pixels.
    """
    if not isinstance(args, (tuple, list)) or not all(isinstance(x, Variable) for x in args):
        raise AssertionError(f"caffe.export: args must be a list of one Variable, not {args!r:.80}")
    if len(args) != 1:
        raise NotImplementedError(f"caffe.export: Caffe's network has one input, but args has {len(args)}")
    recorder = Recorder()
    with recorder, force_backprop_mode(), using_config("train", False):
        output = model(*args)
    outputs = output if isinstance(output, (tuple, list)) else [output]
    if not all(isinstance(y, Variable) for y in outputs):
        raise AssertionError(f"caffe.export: the model must return Variables, not {output!r:.80}")
    layers = layers_of(steps_behind(outputs, recorder.weights), args[0].node)
    if directory is None:
        return
    text, weights = prototxt(graph_name, args[0].shape, layers), caffemodel(layers) if export_params else None
    folder = Path(directory)
    with atomic_write(folder / "chainer_model.prototxt", "w") as file:
        file.write(text)
    if weights is not None:
        with atomic_write(folder / "chainer_model.caffemodel") as file:
            file.write(weights)
