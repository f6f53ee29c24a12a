"""The graph: variables, functions, and walking back through them.

Reading guide
-------------
- `variable`: `Variable`, what a user holds. `node`: `VariableNode`, what the graph holds of it.
- `function_node`: `FunctionNode`, a function applied once; how a graph comes about (`apply`). Authors of functions
  start there.
- `backprop`: the walk backwards, `backward` and `grad`.
- `operators`: the functions behind ``+``, ``@``, ``reshape`` …
- `gradient_notifier`: telling of gradients that are complete while the walk goes on.
- `parameter`: `Parameter`, a Variable that training changes, possibly of a shape that is not known yet.
- `modes`, `function_hook`, `debug`: switching graphs off, watching functions, finding NaN.

How it is laid out, and why a node is not a Variable: docs/explanation/graph.md.
"""

from renga_core.graph.backprop import backward, grad
from renga_core.graph.debug import DebugMode, NaNError, is_debug, set_debug
from renga_core.graph.errors import GraphError, InvalidType, WrongGradient
from renga_core.graph.function_hook import FunctionHook, get_function_hooks
from renga_core.graph.function_node import FunctionNode
from renga_core.graph.gradient_notifier import arriving_gradients
from renga_core.graph.modes import force_backprop_mode, no_backprop_mode
from renga_core.graph.node import VariableNode
from renga_core.graph.parameter import Parameter
from renga_core.graph.variable import Variable, as_array, as_variable

__all__ = [
    "DebugMode",
    "FunctionHook",
    "FunctionNode",
    "GraphError",
    "InvalidType",
    "NaNError",
    "Parameter",
    "Variable",
    "VariableNode",
    "WrongGradient",
    "arriving_gradients",
    "as_array",
    "as_variable",
    "backward",
    "force_backprop_mode",
    "get_function_hooks",
    "grad",
    "is_debug",
    "no_backprop_mode",
    "set_debug",
]
