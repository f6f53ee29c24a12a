"""Rewrites keywords, decorators and seeds."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.facts import Facts, expression
from renga_chainer.port.rules.names import spelled

__all__ = ["dataset_root", "decorator", "keywords", "missing_key", "noise", "seed"]

_KEYWORDS = {
    ("EarlyStoppingTrigger", "patients"): "patience",
    ("MultiNodeEarlyStoppingTrigger", "patients"): "patience",
    ("LogReport", "log_name"): "filename",
    ("PlotReport", "file_name"): "filename",
    ("VariableStatisticsPlot", "file_name"): "filename",
    ("DumpGraph", "out_name"): "filename",
}
"""Arguments that Chainer accepts with a warning, and Renga does not."""
_GONE = {("Variable", "volatile"): "write `with renga.no_backprop_mode():` around code without gradients"}


def keywords(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Old names of arguments."""
    called = facts.chainer(original.func).rpartition(".")[2]
    if not called or not isinstance(updated, cst.Call):
        return updated
    args = list(updated.args)
    for i, arg in enumerate(original.args):
        written = arg.keyword.value if arg.keyword else ""
        if (called, written) in _KEYWORDS:
            args[i] = args[i].with_changes(keyword=cst.Name(_KEYWORDS[called, written]))
        elif (called, written) in _GONE:
            facts.left(original, f"{called} has no argument {written}", _GONE[called, written])
    return updated.with_changes(args=args)


_DRAWS = ("rand", "randn", "random_sample", "normal", "uniform", "standard_normal")


def noise(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``x + np.random.randn(*x.shape)``: Chainer casts the array to x's dtype; Renga needs an explicit cast."""
    drawn = m.Call(func=m.Attribute(m.Attribute(attr=m.Name("random")), m.OneOf(*(m.Name(name) for name in _DRAWS))))
    if not m.matches(original, drawn) or not isinstance(facts.parents[original], (cst.BinaryOperation,)):
        return updated
    shapes = m.findall(original, m.Attribute(m.Name(), m.Name("shape")))
    outermost: cst.CSTNode = original
    while isinstance(facts.parents[outermost], cst.BinaryOperation):
        outermost = facts.parents[outermost]
    for shape in shapes:
        other = cst.ensure_type(cst.ensure_type(shape, cst.Attribute).value, cst.Name)
        terms = [name for name in m.findall(outermost, m.Name(other.value)) if name is not other]
        if terms:
            return cst.Call(cst.Attribute(updated, cst.Name("astype")), [cst.Arg(expression(f"{other.value}.dtype"))])
    return updated


def dataset_root(facts: Facts, original: cst.SimpleString, updated: Any) -> Any:
    """Add a remark about the folder of data sets."""
    if original.evaluated_value == "CHAINER_DATASET_ROOT":
        facts.left(
            original,
            "Renga looks in RENGA_DATASET_ROOT, for files in their original form",
            "fetch the data sets again",
        )
    return updated


def missing_key(facts: Facts, original: cst.FunctionDef, updated: Any) -> Any:
    """Add a remark about a `serialize` that continues after a missing key."""
    caught = m.ExceptHandler(type=m.Name("KeyError"))
    if original.name.value == "serialize":
        for handler in m.findall(original.body, caught):
            facts.left(
                cst.ensure_type(handler, cst.ExceptHandler),
                "Renga refuses the whole file if the key is missing; there is no KeyError here",
                "save the key always, or load with strict=False",
            )
    return updated


def decorator(facts: Facts, original: cst.Decorator, updated: Any) -> Any:
    """Rewrite decorators of Chainer's tests: ``@attr.gpu`` asks for CuPy; ``@condition.retry(3)`` is removed."""
    called = original.decorator.func if isinstance(original.decorator, cst.Call) else original.decorator
    path = facts.chainer(called)
    what = path.removeprefix("chainer.testing.")
    line = facts.line(called)
    if what in ("attr.gpu", "attr.cudnn", "attr.multi_gpu"):
        made = expression(f"{spelled(facts, called, 'renga.testing.with_requires')}('cupy')")
    elif what in ("condition.retry", "condition.repeat", "condition.repeat_with_success_at_least"):
        made = None
    else:
        return updated
    facts.remarks[:] = [r for r in facts.remarks if not (r.line == line and r.why == f"Renga has no {path}")]
    if made is None:
        facts.note(original.decorator, "left out: the test runs once, and fails if it does")
        return cst.RemoveFromParent()
    return updated.with_changes(decorator=made)


def seed(facts: Facts, original: cst.SimpleStatementLine, updated: Any) -> Any:
    """Seed Renga's generators, too, after ``numpy.random.seed(0)``."""
    if not isinstance(updated, cst.SimpleStatementLine):
        return updated
    if not updated.body:  # its content was removed
        return cst.RemoveFromParent()
    for statement in original.body:
        if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            call = statement.value
            if facts.path(call.func) == "numpy.random.seed" and len(call.args) == 1:
                facts.needs.add("renga")
                again = cst.parse_statement(f"renga.random.seed({cst.Module([]).code_for_node(call.args[0].value)})")
                return cst.FlattenSentinel([updated, again])
    return updated
