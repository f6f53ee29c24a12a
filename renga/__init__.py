"""Renga: define-by-run deep learning in which every part is a plugin.

What you type lives here::

    import renga
    import renga.functions as F
    import renga.links as L

    x = renga.Variable(array)       # an array with a gradient
    loss = F.mean(model(x) ** 2)    # calling functions builds the graph
    loss.backward()                 # model's parameters now have gradients

- `renga.functions`, `renga.links`, `renga.initializers`: what networks are made of.
- `renga.function_hooks`, `renga.link_hooks`: what watches them, and other weights in each call.
- `renga.distributions`: what random numbers are like.
- `renga.optimizers`, `renga.optimizer_hooks`: what trains them.
- `renga.datasets`, `renga.iterators`, `renga.dataset`: data.
- `renga.training` with `extensions`, `triggers`, `updaters`: the training loop.
- `renga.distributed`: training by several processes.
- `renga.compile` (experimental): a step that is recorded, and then replayed without building its graph.
- `renga.testing`: helpers for tests, and test cases for functions and links.
- `renga.serializers`, `renga.gradient_check`, `renga.computational_graph`, `renga.backend`, `renga.utils`.

Importing `renga` imports no plugin; each of these does when it is first used. To write a plugin: `hookimpl`,
`Provider`, and docs/how-to/write-a-plugin.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    "renga_core.backend": ("DeviceResident", "get_array_module", "get_device", "using_device"),
    "renga_core.backend.chainer_names": ("get_array_types", "get_cpu_array_types", "is_arrays_compatible"),
    "renga_core.configuration": ("config", "get_dtype", "global_config", "using_config"),
    "renga_core.dataset": ("DatasetMixin", "Iterator"),
    "renga_core.graph": (
        "DebugMode",
        "FunctionHook",
        "FunctionNode",
        "Parameter",
        "Variable",
        "as_array",
        "as_variable",
        "backward",
        "force_backprop_mode",
        "get_function_hooks",
        "grad",
        "is_debug",
        "no_backprop_mode",
        "set_debug",
    ),
    "renga_core.link": ("Chain", "ChainList", "Link", "LinkHook", "Sequential"),
    "renga_core.optimizer": ("GradientMethod", "Optimizer", "UpdateRule"),
    "renga_core.plugin": ("Kernel", "Kind", "Provider", "hookimpl", "registry"),
    "renga_core.replay": ("CompiledStep", "compile"),
    "renga_core.reporter": ("DictSummary", "Reporter", "Summary", "get_current_reporter", "report", "report_scope"),
    "renga_core.runtime_info": ("print_runtime_info", "should_use_cudnn", "should_use_cudnn_tensor_core"),
    "renga_core.serializers": ("AbstractSerializer", "Deserializer", "Serializer"),
    "renga_core.settings": ("using",),
    "renga_nn.distributions": ("Distribution", "cross_entropy", "kl_divergence", "register_kl"),
    "renga_nn.initializers": ("Initializer",),
}
_MODULES = (
    "backend",
    "computational_graph",
    "dataset",
    "datasets",
    "distributed",
    "distributions",
    "function_hooks",
    "functions",
    "gradient_check",
    "initializers",
    "iterators",
    "link_hooks",
    "links",
    "optimizer_hooks",
    "optimizers",
    "random",
    "sequential",
    "serializers",
    "testing",
    "training",
    "utils",
)
_HOME = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from renga_core.backend import DeviceResident, get_array_module, get_device, using_device
    from renga_core.backend.chainer_names import get_array_types, get_cpu_array_types, is_arrays_compatible
    from renga_core.configuration import config, get_dtype, global_config, using_config
    from renga_core.dataset import DatasetMixin, Iterator
    from renga_core.graph import (
        DebugMode,
        FunctionHook,
        FunctionNode,
        Parameter,
        Variable,
        as_array,
        as_variable,
        backward,
        force_backprop_mode,
        get_function_hooks,
        grad,
        is_debug,
        no_backprop_mode,
        set_debug,
    )
    from renga_core.link import Chain, ChainList, Link, LinkHook, Sequential
    from renga_core.optimizer import GradientMethod, Optimizer, UpdateRule
    from renga_core.plugin import Kernel, Kind, Provider, hookimpl, registry
    from renga_core.replay import CompiledStep, compile
    from renga_core.reporter import DictSummary, Reporter, Summary, get_current_reporter, report, report_scope
    from renga_core.runtime_info import print_runtime_info, should_use_cudnn, should_use_cudnn_tensor_core
    from renga_core.serializers import AbstractSerializer, Deserializer, Serializer
    from renga_core.settings import using
    from renga_nn.distributions import Distribution, cross_entropy, kl_divergence, register_kl
    from renga_nn.initializers import Initializer

__all__ = [
    "AbstractSerializer",
    "Chain",
    "ChainList",
    "CompiledStep",
    "DatasetMixin",
    "DebugMode",
    "Deserializer",
    "DeviceResident",
    "DictSummary",
    "Distribution",
    "FunctionHook",
    "FunctionNode",
    "GradientMethod",
    "Initializer",
    "Iterator",
    "Kernel",
    "Kind",
    "Link",
    "LinkHook",
    "Optimizer",
    "Parameter",
    "Provider",
    "Reporter",
    "Sequential",
    "Serializer",
    "Summary",
    "UpdateRule",
    "Variable",
    "as_array",
    "as_variable",
    "backward",
    "compile",
    "config",
    "cross_entropy",
    "force_backprop_mode",
    "get_array_module",
    "get_array_types",
    "get_cpu_array_types",
    "get_current_reporter",
    "get_device",
    "get_dtype",
    "get_function_hooks",
    "global_config",
    "grad",
    "hookimpl",
    "is_arrays_compatible",
    "is_debug",
    "kl_divergence",
    "no_backprop_mode",
    "print_runtime_info",
    "register_kl",
    "registry",
    "report",
    "report_scope",
    "set_debug",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "using",
    "using_config",
    "using_device",
]


def __getattr__(name: str) -> Any:
    """Load a name of the core, or a part of the face, when it is first used."""
    home = _HOME.get(name)
    if home is not None:
        value = getattr(importlib.import_module(home), name)
    elif name in _MODULES:
        return importlib.import_module(f"renga.{name}")
    else:
        from renga_core.errors import did_you_mean

        near = "" if name.startswith("_") else did_you_mean(name, __dir__())
        raise AttributeError(f"module 'renga' has no attribute {name!r}.{near}".removesuffix("."))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
