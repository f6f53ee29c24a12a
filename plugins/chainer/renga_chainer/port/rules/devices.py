"""Rewrites device numbers to device names."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.facts import Facts, code, expression, text_of
from renga_chainer.port.rules.names import spelled

__all__ = [
    "arguments",
    "comparison",
    "converter",
    "get_device_from_array",
    "get_device_from_id",
    "methods",
    "send",
    "to_gpu_of_cuda",
    "use",
]

_CUDA = ("chainer.backends.cuda", "chainer.cuda")
_FROM_ID = {f"{cuda}.{name}" for cuda in _CUDA for name in ("get_device_from_id", "get_device", "Device")}
_POSITIONS = {
    "concat_examples": 1,
    "to_device": 0,
    "StandardUpdater": 3,
    "ParallelUpdater": 3,
    "Evaluator": 3,
    "get_device": 0,
    "using_device": 0,
}
"""Positions of device arguments in Chainer's functions and classes."""
_METHODS = {"to_cpu": "'numpy'", "to_intel64": "'numpy'", "to_gpu": ""}


def device_name(facts: Facts, node: cst.BaseExpression, near: cst.CSTNode) -> str | None:
    """Return an expression for the name of the device with this number; None if it may not be a number.

    Args:
        facts: The program.
        node: Expression for the device.
        near: Where the name will be: in a block for GPUs only, it needs no condition.
    """
    number = _literal(node)
    if number is not None:
        return "'numpy'" if number < 0 else f"'cupy:{number}'"
    if not _is_number(facts, node):
        return None
    text = text_of(node)
    named = f"f'cupy:{{{text}}}'" if not set(text) & set("'\"{}\\") else f"'cupy:' + str({text})"
    if any(text == guard for guard in _guards(facts, near)):
        return named
    return f"'numpy' if {text} < 0 else {named}"


def _literal(node: cst.BaseExpression) -> int | None:
    if m.matches(node, m.Integer() | m.UnaryOperation(m.Minus(), m.Integer())):
        return int(code(node).replace("_", "").replace(" ", "").strip("()"))
    return None


def _is_number(facts: Facts, node: cst.BaseExpression) -> bool:
    """Whether a name or attribute is a GPU number, judged by its name or by its assignments."""
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return False
    last = node.value if isinstance(node, cst.Name) else node.attr.value
    return bool(re.search("gpu", last, re.IGNORECASE)) or (isinstance(node, cst.Name) and node.value in _numbers(facts))


def _numbers(facts: Facts) -> set[str]:
    """Return names of devices that are only assigned numbers."""
    if "numbers" not in facts.memory:
        given: dict[str, list[bool]] = {}
        for found in m.findall(facts.module, m.Assign()):
            assert isinstance(found, cst.Assign)
            for target in found.targets:
                if isinstance(target.target, cst.Name) and "device" in target.target.value:
                    given.setdefault(target.target.value, []).append(_literal(found.value) is not None)
        facts.memory["numbers"] = {name for name, all_numbers in given.items() if all(all_numbers)}
    numbers: set[str] = facts.memory["numbers"]
    return numbers


def _guards(facts: Facts, node: cst.CSTNode) -> list[str]:
    """Return expressions known to be non-negative here: inside ``if args.gpu >= 0:``, ``args.gpu``."""
    found, inner = [], node
    for outer in facts.ancestors(node):
        if isinstance(outer, cst.If) and inner is outer.body:
            test = re.fullmatch(r"(?P<name>[\w.]+) (>= 0|> -1|!= -1)", text_of(outer.test).strip("()"))
            if test:
                found.append(test["name"])
        inner = outer
    return found


def get_device_from_id(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``cuda.get_device_from_id(args.gpu)`` to ``renga.get_device(…)`` with its name."""
    if facts.chainer(original.func) not in _FROM_ID or len(original.args) != 1:
        return updated
    named = device_name(facts, original.args[0].value, original)
    if named is None:
        named = text_of(original.args[0].value).replace("._device_id", ".device")  # an array, or a device
        facts.note(original, "taken to be an array or the name of a device, not a number")
    _settled(facts, original.func)
    called = "using_device" if isinstance(facts.parents[original], cst.WithItem) else "get_device"
    return expression(f"{spelled(facts, original.func, f'renga.{called}')}({named})", original)


def get_device_from_array(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``with cuda.get_device_from_array(x):`` to ``with renga.using_device(…):``."""
    if not facts.chainer(original.func).endswith(".get_device_from_array"):
        return updated
    if not isinstance(facts.parents[original], cst.WithItem):
        return updated
    facts.needs.add("renga")
    return expression(f"renga.using_device({code(updated)})")


def use(facts: Facts, original: cst.Expr, updated: Any) -> Any:
    """Remove the statement ``device.use()``: Renga uses a ``with`` block."""
    if not m.matches(original, m.Expr(m.Call(func=m.Attribute(attr=m.Name("use")), args=[]))):
        return updated
    device = cst.ensure_type(cst.ensure_type(original.value, cst.Call).func, cst.Attribute).value
    made = isinstance(device, cst.Call) and facts.chainer(device.func) in {*_FROM_ID, "chainer.get_device"}
    if not made and "device" not in code(device):
        return updated
    facts.note(
        original,
        "left out: models and batches are sent to devices by name; create the program's own arrays in `with "
        "renga.using_device(…)`",
    )
    return cst.RemoveFromParent()


def to_gpu_of_cuda(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``cuda.to_gpu(x, device)`` to ``renga.get_device(…).send(x)``."""
    if facts.chainer(original.func) not in {f"{cuda}.to_gpu" for cuda in _CUDA} or not isinstance(updated, cst.Call):
        return updated
    given = [arg.value for arg in original.args[1:2]]
    named = device_name(facts, given[0], original) if given else _default_gpu(facts, original)
    if named is None:
        facts.left(original, "the device may not be a number", "write renga.get_device(name).send(x)")
        return updated
    _settled(facts, original.func)
    get_device = spelled(facts, original.func, "renga.get_device")
    return expression(f"{get_device}({named}).send({code(updated.args[0].value)})", original)


def _settled(facts: Facts, func: cst.BaseExpression) -> None:
    """Remove remarks about a name that a rule has replaced."""
    line, what = facts.line(func), text_of(func)
    facts.remarks[:] = [r for r in facts.remarks if (r.line, r.what) != (line, what)]


def _default_gpu(facts: Facts, node: cst.CSTNode) -> str:
    """Return the GPU of ``to_gpu()``: from the enclosing test, from ``get_device_from_id(…)``, or the first GPU."""
    for guard in _guards(facts, node):
        named = device_name(facts, cst.parse_expression(guard), node)
        if named is not None:
            return named
    chosen = {
        device_name(facts, call.args[0].value, call)
        for call in m.findall(facts.module, m.Call())
        if isinstance(call, cst.Call) and facts.chainer(call.func) in _FROM_ID and len(call.args) == 1
    }
    only = chosen.pop() if len(chosen) == 1 else None
    return only or "'cupy:0'"


def methods(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``model.to_gpu()`` to ``model.to_device(…)``; also ``to_cpu()`` and ``to_intel64()``."""
    func = original.func
    if (
        not isinstance(func, cst.Attribute)
        or func.attr.value not in _METHODS
        or facts.chainer(func)
        or len(original.args) > 1
        or not isinstance(updated, cst.Call)
    ):
        return updated
    if func.attr.value == "to_gpu":
        named = device_name(facts, original.args[0].value, original) if original.args else _default_gpu(facts, original)
    else:
        named = _METHODS[func.attr.value]
    if named is None:
        return updated  # `Link.to_gpu` also takes a Device
    return updated.with_changes(
        func=updated.func.with_changes(attr=cst.Name("to_device")), args=[cst.Arg(expression(named))]
    )


def arguments(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``device=args.gpu``, ``device=-1``, ``devices={'main': 0}``, and positional device arguments."""
    position = _device_position(facts, original)
    if position is None or not isinstance(updated, cst.Call):
        return updated
    args = list(updated.args)
    for i, arg in enumerate(original.args):
        keyword = arg.keyword.value if arg.keyword else ""
        if keyword == "device" or (not keyword and i == position and not arg.star):
            named = device_name(facts, arg.value, original)
            if named is not None:
                args[i] = args[i].with_changes(value=expression(named))
        elif keyword == "devices" and isinstance(arg.value, cst.Dict):
            elements = [_named_element(facts, element, original) for element in arg.value.elements]
            args[i] = args[i].with_changes(value=arg.value.with_changes(elements=elements))
    return updated.with_changes(args=args)


def _named_element(facts: Facts, element: Any, near: cst.CSTNode) -> Any:
    named = device_name(facts, element.value, near)
    return element if named is None else element.with_changes(value=expression(named))


def _device_position(facts: Facts, call: cst.Call) -> int | None:
    """Return the position of the device parameter, -1 for keyword only, None if there may be none."""
    path = facts.chainer(call.func)
    if path:
        return _POSITIONS.get(path.rpartition(".")[2], -1)
    if not isinstance(call.func, cst.Name):
        return -1 if isinstance(call.func, cst.Attribute) and call.func.attr.value == "__init__" else None
    return _local_callees(facts).get(call.func.value)


def _local_callees(facts: Facts) -> dict[str, int]:
    """Rewrite calls of the program's own classes and functions, unless their device parameter is used as a number."""
    if "callees" not in facts.memory:
        found: dict[str, int] = {}
        for node in facts.module.body:
            if not isinstance(node, (cst.ClassDef, cst.FunctionDef)):
                continue
            is_class = isinstance(node, cst.ClassDef)
            within = m.findall(node.body, m.FunctionDef(name=m.Name("__init__"))) if is_class else [node]
            if not within:
                found[node.name.value] = -1
                continue
            function = cst.ensure_type(within[0], cst.FunctionDef)
            if _treats_as_number(facts, function):
                continue
            parameters = [param.name.value for param in function.params.params][is_class:]
            if "device" in parameters:
                found[node.name.value] = parameters.index("device")
            elif isinstance(function.params.star_kwarg, cst.Param):
                found[node.name.value] = -1
        facts.memory["callees"] = found
    callees: dict[str, int] = facts.memory["callees"]
    return callees


def _treats_as_number(facts: Facts, function: cst.FunctionDef) -> bool:
    device = m.Name("device")
    compared = m.findall(function, m.Comparison(left=device))
    calls = m.findall(function, m.Call(args=[m.Arg(device)]))
    return bool(compared) or any(isinstance(c, cst.Call) and facts.chainer(c.func) in _FROM_ID for c in calls)


def send(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``device.send([x, None])`` to ``[device.send(x), None]``: Renga's sends one array."""
    if not m.matches(original, m.Call(func=m.Attribute(attr=m.Name("send")), args=[m.Arg(m.List() | m.Tuple())])):
        return updated
    method, several = updated.func, updated.args[0].value
    if "device" not in code(method.value):
        return updated
    sent = [
        element
        if m.matches(element.value, m.Name("None"))
        else element.with_changes(value=cst.Call(method, [cst.Arg(element.value)]))
        for element in several.elements
    ]
    return several.with_changes(elements=sent)


def converter(facts: Facts, original: cst.FunctionDef, updated: Any) -> Any:
    """Convert the device in a converter: Chainer passes a device, Renga the updater's argument, perhaps a name."""
    decorated = any(
        isinstance(d.decorator, cst.Call) and facts.chainer(d.decorator.func).endswith(".converter")
        for d in original.decorators
    )
    if not decorated or len(original.params.params) != 2 or not isinstance(updated, cst.FunctionDef):
        return updated
    device = original.params.params[1].name.value
    if not m.findall(original.body, m.Attribute(m.Name(device), m.Name("send") | m.Name("xp"))):
        return updated
    facts.needs.add("renga")
    return begin(updated, f"{device} = renga.get_device({device})")


def begin(function: cst.FunctionDef, statement: str) -> cst.FunctionDef:
    """Insert a statement at the beginning of the function, after its docstring."""
    body = list(function.body.body)
    at = 1 if body and m.matches(body[0], m.SimpleStatementLine([m.Expr(m.SimpleString())])) else 0
    body.insert(at, cst.parse_statement(statement))
    return function.with_changes(body=function.body.with_changes(body=body))


def comparison(facts: Facts, original: cst.Comparison, updated: Any) -> Any:
    """Rewrite ``xp is cuda.cupy`` to ``xp.__name__ == 'cupy'``."""
    if len(original.comparisons) != 1 or not isinstance(updated, cst.Comparison):
        return updated
    right = original.comparisons[0].comparator
    if facts.chainer(right) not in {f"{cuda}.cupy" for cuda in _CUDA}:
        return updated
    negative = isinstance(original.comparisons[0].operator, (cst.IsNot, cst.NotEqual))
    _settled(facts, right)
    return expression(f"{code(updated.left)}.__name__ {'!=' if negative else '=='} 'cupy'", original)
