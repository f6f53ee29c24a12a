"""Implementations of the operators: functions of inputs and attributes, by families.

- `table`: the table, and the decorator that adds a function to it. `values`: utilities.
- `arithmetic`, `activation`, `matrix`, `convolution`, `pooling` (with `windows`), `normalization`, `recurrent`, `loss`,
  `resize`: on floating-point values, with Renga's functions, so they are differentiable on each backend.
- `shape`, `indexing`, `constants`, `reduction`: the same; integers are computed by their array library.
- `older`: operators before opset 14, if they need a function of their own.
- `control`: branches, loops, sequences. `quantization`, `detection`, `signal`, `random`: the rest.

The keyword arguments of a function are the attributes, with ONNX's names. Reading a file refuses nodes with other
attributes. Defaults are those of the file's opset; the defaults of a function apply to opsets before the attribute
existed. If opsets differ only in how arguments are passed, one function accepts all forms: axes that became an input
are a parameter that can be passed by position or by name.
"""

from importlib import import_module

from renga_onnx.load.operators.table import OPERATORS, Operator, key_of, operator

__all__ = ["OPERATORS", "Operator", "key_of", "operator"]

_FAMILIES = (
    "activation arithmetic constants control convolution detection indexing loss matrix "
    "normalization older pooling quantization random recurrent reduction resize shape signal"
)
for _family in _FAMILIES.split():
    import_module(f"{__name__}.{_family}")
