"""``chainer.utils.type_check``: conditions on arguments of functions, which can print their own source.

``in_types[0].ndim == 2`` creates a tree of `Expr`. `expect` evaluates it; a false condition raises an error with the
condition's text. A check first runs on the plain arrays (`light_mode`), because most calls are correct.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from renga_chainer.backend import get_array_types
from renga_chainer.patches.invalid_type import InvalidType as InvalidType
from renga_chainer.patches.invalid_type import checking
from renga_core.backend import Array, get_backend

__all__ = [
    "Atom",
    "BinaryOperator",
    "BoolBinaryOperator",
    "Call",
    "Constant",
    "Expr",
    "GetAttr",
    "GetItem",
    "InvalidType",
    "LightMode",
    "LightTypeInfoTuple",
    "Testable",
    "TypeInfo",
    "TypeInfoTuple",
    "UnaryOperator",
    "Variable",
    "check_types",
    "eval",
    "expect",
    "expect_broadcast_shapes",
    "get_function_check_context",
    "get_light_types",
    "get_types",
    "in_light_mode",
    "light_mode",
    "make_variable",
    "prod",
    "same_types",
]


# --- expressions ------------------------------------------------------------------------------------------------------


def _value(x: Any) -> Any:
    """Evaluate an expression, or a list or tuple of expressions."""
    if isinstance(x, Expr):
        return x.eval()
    return type(x)(map(_value, x)) if type(x) in (list, tuple) else x


def _text(x: Any) -> str:
    """Like `_value`, but return the source text."""
    if isinstance(x, Expr):
        return str(x)
    if type(x) is list:
        return f"[{', '.join(map(_text, x))}]"
    if type(x) is tuple:
        return f"({', '.join(map(_text, x))}{',' if len(x) == 1 else ''})"
    return repr(x)


def _subscript(key: Any) -> str:
    """Return the text between the brackets."""
    if key is Ellipsis:
        return "..."
    if isinstance(key, slice):
        parts = [key.start, key.stop, *([] if key.step is None else [key.step])]
        return ":".join("" if part is None else _text(part) for part in parts)
    return ", ".join(map(_subscript, key)) if isinstance(key, tuple) else _text(key)


def _unary(sign: str, function: Callable[[Any], Any]) -> Any:
    return lambda x: UnaryOperator(6, x, sign, function)


def _binary(sign: str, priority: int, function: Callable[[Any, Any], Any], right_associative: bool = False) -> Any:
    return lambda x, y: BinaryOperator(priority, x, y, sign, function, right_associative)


def _reflected(sign: str, priority: int, function: Callable[[Any, Any], Any]) -> Any:
    return lambda y, x: BinaryOperator(priority, x, y, sign, function)


def _comparison(sign: str, opposite: str, function: Callable[[Any, Any], Any]) -> Any:
    return lambda x, y: BoolBinaryOperator(x, y, sign, opposite, function)


class Expr:
    """An expression that is not evaluated yet: `eval` evaluates it, `str` returns its text.

    Args:
        priority: Precedence of its operator, as in Python: 8 for a name, 0 for ``|``, -1 for comparisons.
    """

    def __init__(self, priority: int) -> None:
        self.priority = priority

    def eval(self) -> Any:
        """Evaluate the expression."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> GetAttr:
        if name.startswith("__"):  # `copy`, `pickle` and NumPy look these up
            raise AttributeError(name)
        return GetAttr(self, name)

    def __getitem__(self, key: Any) -> GetItem:
        return GetItem(self, key)

    def __call__(self, *args: Any) -> Call:  # noqa: D102 - no method of its own, but of what it stands for
        return Call(self, args)

    def __bool__(self) -> bool:
        raise RuntimeError(
            "An Expr instance cannot be evaluated as bool. Please use chainer.utils.type_check.eval() to evaluate an "
            "expression."
        )

    __iter__ = None  # otherwise `__getitem__` would make it an endless iterable

    __hash__ = object.__hash__
    __eq__ = _comparison("==", "!=", operator.eq)
    __ne__ = _comparison("!=", "==", operator.ne)
    __lt__ = _comparison("<", ">=", operator.lt)
    __le__ = _comparison("<=", ">", operator.le)
    __gt__ = _comparison(">", "<=", operator.gt)
    __ge__ = _comparison(">=", "<", operator.ge)

    __or__, __ror__ = _binary("|", 0, operator.or_), _reflected("|", 0, operator.or_)
    __xor__, __rxor__ = _binary("^", 1, operator.xor), _reflected("^", 1, operator.xor)
    __and__, __rand__ = _binary("&", 2, operator.and_), _reflected("&", 2, operator.and_)
    __lshift__, __rlshift__ = _binary("<<", 3, operator.lshift), _reflected("<<", 3, operator.lshift)
    __rshift__, __rrshift__ = _binary(">>", 3, operator.rshift), _reflected(">>", 3, operator.rshift)
    __add__, __radd__ = _binary("+", 4, operator.add), _reflected("+", 4, operator.add)
    __sub__, __rsub__ = _binary("-", 4, operator.sub), _reflected("-", 4, operator.sub)
    __mul__, __rmul__ = _binary("*", 5, operator.mul), _reflected("*", 5, operator.mul)
    __truediv__, __rtruediv__ = _binary("/", 5, operator.truediv), _reflected("/", 5, operator.truediv)
    __floordiv__, __rfloordiv__ = _binary("//", 5, operator.floordiv), _reflected("//", 5, operator.floordiv)
    __mod__, __rmod__ = _binary("%", 5, operator.mod), _reflected("%", 5, operator.mod)
    __neg__, __pos__, __invert__ = _unary("-", operator.neg), _unary("+", operator.pos), _unary("~", operator.invert)
    __pow__ = _binary("**", 7, operator.pow, right_associative=True)


class Atom(Expr):
    """Base class of expressions that never need parentheses."""

    def __init__(self) -> None:
        super().__init__(8)


class Constant(Atom):
    """A constant, printed as in Python."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def __str__(self) -> str:
        return _text(self.value)

    def eval(self) -> Any:  # noqa: D102 - as the base
        return self.value


class Variable(Atom):
    """A value with a name."""

    def __init__(self, value: Any, name: str) -> None:
        super().__init__()
        self.value, self.name = value, name

    def __str__(self) -> str:
        return self.name

    def eval(self) -> Any:  # noqa: D102 - as the base
        return self.value


class GetAttr(Atom):
    """``obj.name``."""

    def __init__(self, obj: Any, name: Any) -> None:
        super().__init__()
        self.obj, self.name = obj, name

    def __str__(self) -> str:
        name = self.name.value if isinstance(self.name, Constant) else self.name
        return f"{_text(self.obj)}.{name}" if isinstance(name, str) else f"getattr({_text(self.obj)}, {_text(name)})"

    def eval(self) -> Any:  # noqa: D102 - as the base
        return getattr(_value(self.obj), _value(self.name))


class GetItem(Atom):
    """``obj[key]``."""

    def __init__(self, obj: Any, key: Any) -> None:
        super().__init__()
        self.obj, self.key = obj, key

    def __str__(self) -> str:
        return f"{_text(self.obj)}[{_subscript(self.key)}]"

    def eval(self) -> Any:  # noqa: D102 - as the base
        return _value(self.obj)[_value(self.key)]


class Call(Atom):
    """``obj(*args)``."""

    def __init__(self, obj: Any, args: tuple[Any, ...]) -> None:
        super().__init__()
        self.obj, self.args = obj, args

    def __str__(self) -> str:
        return f"{_text(self.obj)}({', '.join(map(_text, self.args))})"

    def eval(self) -> Any:  # noqa: D102 - as the base
        return _value(self.obj)(*map(_value, self.args))


class UnaryOperator(Expr):
    """``-term`` and the like."""

    def __init__(self, priority: int, term: Any, exp: str, func: Callable[[Any], Any]) -> None:
        super().__init__(priority)
        self.term, self.exp, self.func = term, exp, func

    def __str__(self) -> str:
        loose = isinstance(self.term, Expr) and self.term.priority < self.priority
        return self.exp + (f"({self.term})" if loose else _text(self.term))

    def eval(self) -> Any:  # noqa: D102 - as the base
        return self.func(_value(self.term))


class BinaryOperator(Expr):
    """``lhs + rhs`` and the like."""

    def __init__(
        self,
        priority: int,
        lhs: Any,
        rhs: Any,
        exp: str,
        func: Callable[[Any, Any], Any],
        right_associative: bool = False,
    ) -> None:
        super().__init__(priority)
        self.lhs, self.rhs, self.exp, self.func, self.right_associative = lhs, rhs, exp, func, right_associative

    def __str__(self) -> str:
        left = self._operand(self.lhs, self.right_associative)
        right = self._operand(self.rhs, not self.right_associative)
        return f"{left} {self.exp} {right}"

    def _operand(self, x: Any, if_equal: bool) -> str:
        """Return an operand, with parentheses if it has lower precedence (with `if_equal`, also the same)."""
        loose = isinstance(x, Expr) and (x.priority < self.priority or (if_equal and x.priority == self.priority))
        return f"({x})" if loose else _text(x)

    def eval(self) -> Any:  # noqa: D102 - as the base
        return self.func(_value(self.lhs), _value(self.rhs))


class Testable:
    """Base class of arguments of `expect`."""

    def expect(self) -> None:
        """Raise an error if the condition is false.

        Raises:
            InvalidType: The condition is false.
        """
        raise NotImplementedError


class BoolBinaryOperator(BinaryOperator, Testable):
    """``lhs == rhs`` and the like; `inv` is the negated operator."""

    def __init__(self, lhs: Any, rhs: Any, exp: str, inv: str, func: Callable[[Any, Any], Any]) -> None:
        super().__init__(-1, lhs, rhs, exp, func)
        self.inv = inv

    def expect(self) -> None:  # noqa: D102 - as the base
        left, right = _value(self.lhs), _value(self.rhs)
        if not self.func(left, right):
            raise InvalidType(f"{self.lhs} {self.exp} {self.rhs}", f"{left} {self.inv} {right}")


# --- arguments --------------------------------------------------------------------------------------------------


class TypeInfo:
    """Shape and dtype of an array."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


class TypeInfoTuple(tuple[Any, ...]):
    """A tuple of a `Variable` for the `TypeInfo` of each argument.

    Attributes:
        name: Name of the tuple in messages.
    """

    name = "in_types"

    def size(self) -> Variable:
        """Number of arguments, as an expression."""
        return Variable(len(self), f"{self.name}.size")


class LightTypeInfoTuple(tuple[Any, ...]):
    """The arguments themselves."""

    def size(self) -> int:
        """Number of arguments."""
        return len(self)


def get_types(
    data: tuple[Any, ...], name: str, accept_none: bool, *, shapes: Sequence[tuple[int, ...]] | None = None
) -> TypeInfoTuple:
    """Wrap arrays as expressions ``name[0]``, ``name[1]`` …; None, if accepted, has shape () and no dtype."""

    def info(i: int, x: Any) -> TypeInfo:
        if x is None and accept_none:
            return TypeInfo((), None)
        return TypeInfo(x.shape if shapes is None else shapes[i], x.dtype)

    made = TypeInfoTuple(Variable(info(i, x), f"{name}[{i}]") for i, x in enumerate(data))
    made.name = name
    return made


def get_light_types(data: tuple[Any, ...], *, shapes: Sequence[tuple[int, ...]] | None = None) -> LightTypeInfoTuple:
    """Wrap arrays as input of `check_type_forward` in light mode."""
    if shapes is None:
        return LightTypeInfoTuple(data)
    return LightTypeInfoTuple(TypeInfo(shape, x.dtype) for x, shape in zip(data, shapes, strict=True))


def check_types(function: Any, in_data: tuple[Array, ...]) -> None:
    """Call ``function.check_type_forward``: first in light mode and, if that fails, again with names.

    Raises:
        InvalidType: The check failed.
    """
    try:
        with light_mode:
            function.check_type_forward(get_light_types(in_data))
    except InvalidType:
        with get_function_check_context(function):
            function.check_type_forward(get_types(in_data, "in_types", False))


@contextmanager
def get_function_check_context(f: Any) -> Iterator[None]:
    """Use the name of `f` in messages during a ``with`` block."""
    before, checking.current_function = checking.current_function, f
    try:
        yield
    finally:
        checking.current_function = before


class LightMode:
    """Context manager that uses plain values instead of expressions."""

    def __enter__(self) -> None:
        checking.light_mode = True

    def __exit__(self, *_: object) -> None:
        checking.light_mode = False


light_mode = LightMode()


def in_light_mode() -> bool:
    """Whether a block of `light_mode` is running."""
    return checking.light_mode


def expect(*bool_exprs: Any) -> None:
    """Raise an error unless all conditions are true.

    Args:
        bool_exprs: Comparisons of expressions.

    Raises:
        InvalidType: A condition is false.
    """
    if checking.light_mode:
        if not all(bool_exprs):
            raise InvalidType("", "")
        return
    for each in bool_exprs:
        assert isinstance(each, Testable), f"expected a comparison of expressions, not {each!r}"
        each.expect()


def eval(exp: Any) -> Any:
    """Return the value of an expression; in light mode, return the argument."""
    return exp if checking.light_mode else exp.eval()


def make_variable(value: Any, name: str) -> Any:
    """Return `value` as an expression with this name; in light mode, return it unchanged."""
    return value if checking.light_mode else Variable(value, name)


def _make_variable_from_array(array: Any, name: str) -> Any:
    """Return an array as an expression with this name; in light mode, return it unchanged."""
    is_array: bool = isinstance(array, get_array_types())
    if not is_array:
        raise InvalidType(f"isinstance({name}, ndarray)", f"type({name}) == {type(array)}")
    return array if checking.light_mode else Variable(TypeInfo(array.shape, array.dtype), name)


def _argname(in_types: Sequence[Any], names: Sequence[str]) -> None:
    """Name the arguments in messages, and check their number."""
    if len(in_types) != len(names):
        raise InvalidType(f"{len(names)} argument(s)", f"{len(in_types)} argument(s)", "Invalid number of arguments")
    for in_type, name in zip(in_types, names, strict=True):
        if isinstance(in_type, Variable):
            in_type.name = name


_prod = Variable(math.prod, "prod")


def prod(xs: Any) -> Any:
    """Return the product of numbers, as an expression; in light mode, as a number."""
    return math.prod(xs) if checking.light_mode else _prod(xs)


def same_types(*arrays: Any) -> bool:
    """Whether all arrays belong to one library."""
    if not all(hasattr(x, "dtype") and hasattr(x, "shape") for x in arrays):
        return False
    return len({id(get_backend(x)) for x in arrays}) < 2


def expect_broadcast_shapes(*shape_types: Any) -> None:
    """Check that shapes can be broadcast together.

    Raises:
        InvalidType: They cannot.
    """
    shapes = [eval(shape) for shape in shape_types]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        lines = [f"{written} = {shape}" for written, shape in zip(shape_types, shapes, strict=True)]
        heading = "cannot broadcast inputs of the following shapes:"
        raise InvalidType("", "", msg="\n".join([heading, *lines])) from None
