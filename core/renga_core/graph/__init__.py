"""The computational graph: variables, functions and backpropagation.

Reading guide
-------------
- `variable`: `Variable`, the user's object. `node`: `VariableNode`, its node in the graph.
- `function_node`: `FunctionNode`, one application of a function; `apply` builds the graph. Authors of functions start
  there.
- `backprop`: backpropagation: `backward` and `grad`.
- `operators`: the functions behind ``+``, ``@``, ``reshape`` …
- `gradient_notifier`: reports complete gradients while backpropagation continues.
- `parameter`: `Parameter`, a Variable that training changes; its shape may be unknown at first.
- `modes`, `function_hook`, `debug`: switching off graph building, watching functions, finding NaN.

Design, and why a node is not a Variable: docs/explanation/graph.md.
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
