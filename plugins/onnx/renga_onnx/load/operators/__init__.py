"""What computes each operator: a function of its inputs and attributes, by families.

- `table`: the table, and the decorator that enters a function into it. `values`: small tools on values.
- `arithmetic`, `activation`, `matrix`, `convolution`, `pooling` (with `windows`), `normalization`, `recurrent`, `loss`,
  `resize`: where floats flow, in Renga's functions, so that gradients flow back on each backend.
- `shape`, `indexing`, `constants`, `reduction`: on floats so too; integers are computed with their array library.
- `older`: forms that operators had before opset 14, for all that is not the same function with other arguments.
- `control`: branches, loops, sequences. `quantization`, `detection`, `signal`, `random`: the rest.

A function's keyword arguments are the attributes, named as in ONNX: the signature is the contract, and a node that has
another attribute is refused when the file is read. Defaults are those of the file's opset; a function's own are what
held before there was the attribute. Where opsets differ only in how arguments are given, one function takes all forms:
axes that became an input are a parameter that may be given by position or by name.
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
