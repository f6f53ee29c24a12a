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
    """Write what `model` computes, out of training, as a network of Caffe's.

    Known are the functions ``linear``, ``convolution_2d``, ``deconvolution_2d``, ``max_pooling_2d``,
    ``average_pooling_2d``, ``batch_normalization``, ``local_response_normalization``, ``relu``, ``leaky_relu``,
    ``sigmoid``, ``softmax``, ``concat``, ``reshape`` and the addition of two.

    Args:
        model: What is called with `args`. It returns a Variable, or a tuple or list of them.
        args: One Variable, which is the blob ``data``.
        directory: Where ``chainer_model.prototxt`` and ``chainer_model.caffemodel`` are written. None: nowhere; the
            network is only checked.
        export_params: Whether there is to be a ``.caffemodel``, which holds the weights.
        graph_name: The name of the network.

    Raises:
        AssertionError: `args` or what `model` returns is something else.
        NotImplementedError: `args` are several, or the network has a function that Caffe or this does not know.
            Nothing is written then.

    Warns:
        UserWarning: Caffe computes something else of a layer: its pooling covers all.
    """
    if not isinstance(args, (tuple, list)) or not all(isinstance(x, Variable) for x in args):
        raise AssertionError(f"caffe.export: args are a list of one Variable, not {args!r:.80}")
    if len(args) != 1:
        raise NotImplementedError(f"caffe.export: a network of Caffe's is written for one input, not for {len(args)}")
    recorder = Recorder()
    with recorder, force_backprop_mode(), using_config("train", False):
        output = model(*args)
    outputs = output if isinstance(output, (tuple, list)) else [output]
    if not all(isinstance(y, Variable) for y in outputs):
        raise AssertionError(f"caffe.export: the model returns Variables, not {output!r:.80}")
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
