"""Chainer's names that have another name in Renga."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

from renga_chainer import vision
from renga_chainer.mirror import FACES, names

__all__ = ["CHANGED", "GONE_KEYS", "advice", "equivalent", "is_module_path"]

_CUDA = ("chainer.backends.cuda", "chainer.cuda")
_HOOKS = ("GradientClipping", "GradientHardClipping", "GradientNoise", "Lasso", "WeightDecay")

_MOVED = {
    "chainer.mixed16": "numpy.float16",
    "chainer.initializer.get_fans": "renga_nn.initializers.initializer.fans",
    "chainer.optimizer.Hyperparameter": "renga_core.optimizer.Hyperparameter",
    "chainer.optimizer.HyperparameterProxy": "renga_core.optimizer.HyperparameterProxy",
    "chainer.utils.type_check.InvalidType": "renga_core.graph.InvalidType",
    "chainer.training.extension.Extension": "renga.training.Extension",
    "chainer.dataset.Converter": "renga_core.dataset.Converter",
    "chainer.types.TYPE_CHECKING": "typing.TYPE_CHECKING",
    **{f"chainer.optimizer.{name}": f"renga.optimizer_hooks.{name}" for name in _HOOKS},
    **{f"{cuda}.get_array_module": "renga.backend.get_array_module" for cuda in _CUDA},
    **{f"{cuda}.to_cpu": "renga.backend.to_host" for cuda in _CUDA},
    **{f"{cuda}.get_device_from_array": "renga.backend.get_device_from_array" for cuda in _CUDA},
    **{f"{cuda}.GpuDevice": "renga.backend.GpuDevice" for cuda in _CUDA},
}
"""Equivalents whose names differ."""

GONE_KEYS = {
    "autotune": "False",
    "compute_mode": "None",
    "cudnn_deterministic": "False",
    "cudnn_fast_batch_normalization": "False",
    "lazy_grad_sum": "False",
    "schedule_func": "None",
    "use_cudnn": "'auto'",
    "use_cudnn_tensor_core": "'auto'",
    "use_ideep": "'never'",
    "use_static_graph": "True",
}
"""Configuration entries that Renga lacks, with Chainer's default values."""

CHANGED = {
    "numpy.float16": "float16: Renga keeps sums and statistics in float32 without a special mode",
    "renga.cv.datasets.CamVidDataset": "the key of its labels is label, in ChainerCV iabel",
    "renga.optimizer_hooks.GradientLARS": "scales by the paper's rule, which differs from Chainer's",
    "renga.optimizers.NesterovAG": "makes the paper's step, which differs from Chainer's",
    "renga.serializers.load_npz": "renga.serializers.load_chainer_npz reads files that Chainer has written",
    "renga.training.ParallelUpdater": "averages the gradients of the devices, where Chainer adds them up",
    "renga.training.extensions.Evaluator": "computes means with equal weights of examples; Chainer's evaluator gives "
    "equal weights to batches",
    "renga.training.extensions.LogReport": "writes JSON lines and a table, log.jsonl and log.csv",
    "renga.training.updaters.ParallelUpdater": "averages the gradients of the devices, where Chainer adds them up",
}
"""Names that behave differently in Renga (docs/reference/differences.md)."""
_ASK_FOR_CUPY = "ask renga.backend.get_backend('cupy'), which raises where there is no GPU"
_ADVICE = {
    "chainer.static_graph": "renga.compile records a step and replays it",
    "chainer.static_code": "renga.compile records a step and replays it",
    "chainer.get_compute_mode": "kernels choose memory layouts themselves: leave it out",
    "chainer.training.updaters.MultiprocessParallelUpdater": "use renga.distributed, started by a launcher",
    "chainer.utils.type_check": "raise an error in forward if an argument does not fit",
    "chainer.testing.condition": "repeat the test with a plugin of pytest, or fix its seed",
    "chainer.testing.attr": "use pytest's marks",
    "chainer.backends.intel64": "leave it out: pip install 'renga[onednn]' brings fast kernels for CPUs",
    "chainermn": "run it by `renga run-chainer` until you have rewritten this part for renga.distributed",
    "chainerx": "leave it out: Renga's backends do not need it",
    **{
        f"{cuda}.available": "ask renga.backend.get_backend('cupy'), which raises where there is no GPU"
        for cuda in _CUDA
    },
    **{f"{cuda}.check_cuda_available": _ASK_FOR_CUPY for cuda in _CUDA},
    **{f"{cuda}.elementwise": "write array operations, or a kernel (docs/how-to/write-a-kernel.md)" for cuda in _CUDA},
    **{f"{cuda}.reduce": "write array operations, or a kernel (docs/how-to/write-a-kernel.md)" for cuda in _CUDA},
    **{f"{cuda}.raw": "write array operations, or a kernel (docs/how-to/write-a-kernel.md)" for cuda in _CUDA},
    **{f"{cuda}.ndarray": "compare renga.backend.get_device_of(x).backend.name with 'cupy'" for cuda in _CUDA},
}


@cache
def equivalent(path: str) -> str | None:
    """Return Renga's path for a module or name of Chainer; None if there is none."""
    if path in _MOVED:
        return _MOVED[path]
    if path.partition(".")[0] == "chainermn":
        return None  # a person must decide: the first update and the evaluator's means differ
    if path.partition(".")[0] == vision.PACKAGE:
        return _of_vision(path)
    if path in FACES:
        return FACES[path][0]
    if path in names() and path.startswith("chainer.") and _is_module("renga" + path.removeprefix("chainer")):
        return "renga" + path.removeprefix("chainer")
    module, _, name = path.rpartition(".")
    if name not in names().get(module, ()) and (module not in FACES or name.startswith("_")):
        return None
    for face in _faces(module):
        if hasattr(importlib.import_module(face), name):
            return f"{face}.{name}"
    return None


def _of_vision(path: str) -> str | None:
    """Whether it is a public name of `renga.cv`, or a module."""
    module, _, name = path.rpartition(".")
    if vision.is_module(module) and name in vision.names(module):
        return f"{vision.home(module, name)}.{name}"
    return vision.same(path) if vision.is_module(path) else None


def is_module_path(path: str) -> bool:
    """Whether `path` is a module of Chainer or of Renga."""
    return path in FACES or path in names() or _is_module(path) or vision.is_module(path)


def advice(path: str) -> str:
    """Return advice for a name without an equivalent."""
    while path:
        if path in _ADVICE:
            return _ADVICE[path]
        path = path.rpartition(".")[0]
    return "see docs/how-to/move-from-chainer.md, or run the program by `renga run-chainer`"


def _faces(module: str) -> tuple[str, ...]:
    while module and module not in FACES:
        module = module.rpartition(".")[0]
    return FACES.get(module, ())


@cache
def _is_module(path: str) -> bool:
    try:
        return importlib.util.find_spec(path) is not None
    except ModuleNotFoundError:
        return False
