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
- `renga.training` with `extensions`, `snapshots`, `triggers`, `updaters`: the training loop.
- `renga.cv`: vision: networks that detect and segment, data sets, transforms, evaluations.
- `renga.language`: language models, weights of others, tokens.
- `renga.run`: training runs described by data, as `renga train` makes them.
- `renga.distributed`: training by several processes.
- `renga.inference`: a model that is frozen, to compute as fast as this machine can.
- `renga.compile` (experimental): a step that is recorded, and then replayed without building its graph.
- `renga.testing`: helpers for tests, and test cases for functions and links.
- `renga.onnx`: networks as ONNX files, out and in.
- `renga.serializers`, `renga.gradient_check`, `renga.computational_graph`, `renga.backend`, `renga.utils`.

Importing `renga` imports no plugin. Each of these modules is a view of what plugins offer (`renga.view`): a name is
imported when it is first used. To write a plugin: `hookimpl`, `Provider`, and docs/how-to/write-a-plugin.md.
"""

from .view import view

__version__ = "0.1.0"

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.backend": "DeviceResident get_array_module get_device using_device",
        "renga_core.configuration": "config get_dtype global_config using_config",
        "renga_core.dataset": "DatasetMixin Iterator",
        "renga_core.graph": (
            "DebugMode FunctionHook FunctionNode Parameter Variable as_array as_variable backward force_backprop_mode "
            "get_function_hooks grad is_debug no_backprop_mode set_debug"
        ),
        "renga_core.link": "Chain ChainList Link LinkHook Sequential",
        "renga_core.optimizer": "GradientMethod Optimizer UpdateRule",
        "renga_core.plugin": "Kernel Kind Namespace Provider hookimpl registry",
        "renga_core.reporter": "Reporter get_current_reporter report report_scope",
        "renga_core.serializers": "AbstractSerializer Deserializer Serializer",
        "renga_core.settings": "using",
        "renga.run.predicting": "load",
    },
    modules=(
        "backend computational_graph cv dataset datasets distributed distributions function_hooks functions "
        "gradient_check initializers iterators language link_hooks links onnx optimizer_hooks optimizers random run "
        "sequential serializers testing training utils"
    ),
)
