"""The rules. Each takes the facts, the original node and the node so far, and returns the new node.

`EXPRESSIONS`, `STATEMENTS` and `CLASSES` map types of nodes to rules, in order of application.
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
