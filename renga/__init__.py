"""Renga: define-by-run deep learning in which every part is a plugin.

What you type lives here::

    import renga
    import renga.functions as F
    import renga.links as L

    x = renga.Variable(array)       # an array with a gradient
    loss = F.mean(model(x) ** 2)    # calling functions builds the graph
    loss.backward()                 # model's parameters now have gradients

- `renga.functions`, `renga.links`, `renga.initializers`: functions, layers and initial values for networks.
- `renga.function_hooks`, `renga.link_hooks`: hooks around functions and links, such as timers and weight normalization.
- `renga.distributions`: probability distributions.
- `renga.optimizers`, `renga.optimizer_hooks`: optimizers, and hooks such as gradient clipping.
- `renga.datasets`, `renga.iterators`, `renga.dataset`: data sets and mini-batches.
- `renga.training` with `extensions`, `snapshots`, `triggers`, `updaters`: the training loop.
- `renga.cv`: computer vision: detection, segmentation, data sets, transforms, evaluation.
- `renga.language`: language models, loading weights of other programs, tokenizers.
- `renga.run`: training runs described by a file, as `renga train` uses them.
- `renga.distributed`: training by several processes.
- `renga.inference`: freezing a model, so that it predicts as fast as possible on this machine.
- `renga.compile` (experimental): recording a training step and replaying it without building its graph.
- `renga.testing`: helpers for tests, and test cases for functions and links.
- `renga.onnx`: exporting networks to ONNX files, and importing them.
- `renga.serializers`, `renga.gradient_check`, `renga.computational_graph`, `renga.backend`, `renga.utils`.

Importing `renga` imports no plugin. Each of these modules is a view of what plugins offer (`renga.view`). A name is
imported at its first use. To write a plugin: `hookimpl`, `Provider`, and docs/how-to/write-a-plugin.md.
"""

from .view import view

__version__ = "0.1.0"

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.backend": "DeviceResident get_array_module get_device using_device",
        "renga_core.configuration": "config get_dtype global_config using_config",
        "renga_core.dataset": "DatasetMixin Iterator",
        "renga_core.errors": "RengaError",
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
