"""The rules: each takes the facts, a node as it was and as it is by now, and returns it as it shall be.

`EXPRESSIONS`, `STATEMENTS` and `CLASSES` say by type of node which rules there are, in the order in which they apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from renga_chainer.port.facts import Facts
from renga_chainer.port.rules import configuration, devices, functions, logs, names, numpy2, spellings, variables

__all__ = ["RULES"]

Rule = Callable[[Facts, Any, Any], Any]

RULES: dict[type[cst.CSTNode], tuple[Rule, ...]] = {
    cst.Name: (names.name,),
    cst.Attribute: (configuration.read, numpy2.attribute, names.attribute, variables.data),
    cst.Call: (
        devices.get_device_from_array,
        devices.get_device_from_id,
        devices.to_gpu_of_cuda,
        devices.arguments,
        devices.methods,
        devices.send,
        spellings.noise,
        logs.json_load,
        logs.open_call,
        spellings.keywords,
    ),
    cst.Comparison: (devices.comparison,),
    cst.Assign: (configuration.assignment,),
    cst.With: (configuration.with_block,),
    cst.BinaryOperation: (variables.floor_division,),
    cst.SimpleString: (spellings.dataset_root,),
    cst.Decorator: (spellings.decorator,),
    cst.Expr: (devices.use,),
    cst.FunctionDef: (functions.type_check, devices.converter, spellings.missing_key),
    cst.ClassDef: (functions.old_style, functions.forward_by_device),
    cst.SimpleStatementLine: (spellings.seed,),
}
