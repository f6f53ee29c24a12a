"""``chainer.variable``."""

from renga_chainer.patches.variable import variable_repr, variable_str
from renga_core.graph import Parameter, Variable, VariableNode, as_array, as_variable

__all__ = ["Parameter", "Variable", "VariableNode", "as_array", "as_variable", "variable_repr", "variable_str"]
