"""Rewrites functions of the program: old-style ones, and those with a forward per device."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.facts import Facts, code, text_of
from renga_chainer.port.rules.devices import begin

__all__ = ["HELPER", "forward_by_device", "old_style", "type_check"]

HELPER = '''class ArrayFunction(renga.FunctionNode):
    """A function that computes its gradients on arrays (`backward_on_arrays`), and so has no second derivatives."""

    def __call__(self, *inputs):
        outputs = self.apply(inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def retain_inputs(self, indexes):
        self._indexes_of_inputs = tuple(indexes)
        super().retain_inputs(self._indexes_of_inputs)

    def backward(self, indexes, grad_outputs):
        inputs = [None] * len(self.inputs)
        for i, x in zip(self._indexes_of_inputs, self.get_retained_inputs()):
            inputs[i] = x.array
        grads = self.backward_on_arrays(tuple(inputs), tuple(None if g is None else g.array for g in grad_outputs))
        grads = grads if isinstance(grads, tuple) else (grads,)
        return tuple(None if g is None else renga.Variable(g) for g in grads)
'''
_OLD = ("chainer.Function", "chainer.function.Function")
_NODES = ("chainer.FunctionNode", "chainer.function_node.FunctionNode")
_RULES = ("chainer.UpdateRule", "chainer.optimizer.UpdateRule")
_MODULE = {
    "forward": "renga.get_array_module(*{1})",
    "backward": "renga.get_array_module(*{2})",
    "backward_on_arrays": "renga.get_array_module(*{1})",
    "update_core": "{1}.xp",
}
"""Methods with a variant per device in Chainer, and the module of their arrays."""
_DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool_", "ndarray", "dtype",
           "newaxis", "pi", "e", "inf", "nan", "errstate", "random", "prod")  # fmt: skip


def type_check(facts: Facts, original: cst.FunctionDef, updated: Any) -> Any:
    """Remove `check_type_forward`."""
    if original.name.value != "check_type_forward":
        return updated
    first, last = facts.line(original), facts.positions[original].end.line
    facts.remarks[:] = [r for r in facts.remarks if not first <= r.line <= last]
    facts.note(original.name, "left out: raise an error in forward if an argument does not fit")
    return cst.RemoveFromParent()


def _base(facts: Facts, node: cst.ClassDef, paths: tuple[str, ...]) -> cst.Arg | None:
    return next((base for base in node.bases if facts.chainer(base.value) in paths), None)


def old_style(facts: Facts, original: cst.ClassDef, updated: Any) -> Any:
    """Rewrite `chainer.Function` to a FunctionNode that computes its gradient on arrays."""
    base = _base(facts, original, _OLD)
    if base is None or not isinstance(updated, cst.ClassDef):
        return updated
    line, what = facts.line(base.value), text_of(base.value)
    facts.remarks[:] = [r for r in facts.remarks if (r.line, r.what) != (line, what)]
    if m.findall(original, m.Attribute(m.Name("self"), m.Name("output_data") | m.Name("input_data"))):
        facts.left(original.name, "it reads self.output_data", "keep what backward needs in attributes of self")
    facts.helpers.add("ArrayFunction")
    facts.needs.add("renga")
    facts.note(original.name, "no second derivatives: its gradient is computed on arrays")
    bases = [
        new.with_changes(value=cst.Name("ArrayFunction")) if old is base else new
        for old, new in zip(original.bases, updated.bases, strict=True)
    ]
    retains = m.findall(original, m.Call(func=m.Attribute(m.Name("self"), m.Name("retain_inputs"))))
    body = []
    for statement in updated.body.body:
        if isinstance(statement, cst.FunctionDef):
            called = statement.name.value
            if called.startswith("backward"):
                statement = statement.with_changes(name=cst.Name(called.replace("backward", "backward_on_arrays", 1)))
            elif called in ("forward", "forward_cpu", "forward_gpu") and not retains:
                statement = begin(statement, f"self.retain_inputs(range(len({_argument(statement)})))")
        body.append(statement)
    return updated.with_changes(bases=bases, body=updated.body.with_changes(body=body))


def _argument(function: cst.FunctionDef) -> str:
    return function.params.params[1].name.value


def forward_by_device(facts: Facts, original: cst.ClassDef, updated: Any) -> Any:
    """Merge `forward_cpu` and `forward_gpu` into one `forward` for all arrays; also the others in `_MODULE`."""
    if _base(facts, original, _OLD + _NODES + _RULES) is None or not isinstance(updated, cst.ClassDef):
        return updated
    body = list(updated.body.body)
    for what, module in _MODULE.items():
        methods = {s.name.value: s for s in body if isinstance(s, cst.FunctionDef)}
        on_cpu, on_gpu = methods.get(f"{what}_cpu"), methods.get(f"{what}_gpu")
        kept = on_cpu or on_gpu
        if kept is None:
            continue
        if on_cpu is not None and on_gpu is not None:
            body = [s for s in body if s is not on_gpu]
            gone = _method(original, on_gpu.name.value.replace("_on_arrays", ""))
            if gone is not None:
                first, last = facts.line(gone), facts.positions[gone].end.line
                facts.remarks[:] = [r for r in facts.remarks if not first <= r.line <= last]
                facts.note(gone.name, f"left out: {what}_cpu has become {what}, for all devices; a kernel may be added")
        general = _on_any_array(facts, kept, module).with_changes(name=cst.Name(what))
        body = [general if s is kept else s for s in body]
    return updated.with_changes(body=updated.body.with_changes(body=body))


def _method(node: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    return next((s for s in node.body.body if isinstance(s, cst.FunctionDef) and s.name.value == name), None)


def _on_any_array(facts: Facts, function: cst.FunctionDef, module: str) -> cst.FunctionDef:
    """Replace `numpy` in a function by `module`, an expression of its arguments by number."""
    numpy_names = _numpy_names(facts)
    used = [
        found
        for found in m.findall(function.body, m.Attribute(value=m.Name()))
        if isinstance(found, cst.Attribute)
        and cst.ensure_type(found.value, cst.Name).value in numpy_names
        and found.attr.value not in _DTYPES
    ]
    if not used:
        return function
    general: Any = function.visit(_ToXp(numpy_names))
    if any(line.strip().startswith("xp =") for line in code(function.body).splitlines()):
        return general  # type: ignore[no-any-return]  # libcst's
    facts.needs.add("renga")
    return begin(general, "xp = " + module.format(*[param.name.value for param in function.params.params]))


def _numpy_names(facts: Facts) -> set[str]:
    names = set()
    for node in m.findall(facts.module, m.ImportAlias(name=m.Name("numpy"))):
        alias = cst.ensure_type(node, cst.ImportAlias)
        names.add(alias.evaluated_alias or "numpy")
    return names


class _ToXp(cst.CSTTransformer):
    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self._names = names

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        value = original_node.value
        if isinstance(value, cst.Name) and value.value in self._names and original_node.attr.value not in _DTYPES:
            return updated_node.with_changes(value=cst.Name("xp"))
        return updated_node
