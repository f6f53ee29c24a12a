"""How a step with a dynamic loss scale is captured: what the host would decide from its gradients, the GPU does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from renga_backend_cupy.captured_numbers import LOSS_SCALE, CapturedNumbers
from renga_backend_cupy.device_loss_scale import DeviceLossScale
from renga_backend_cupy.kernels.loss_scale import scale_as
from renga_backend_cupy.kernels.optimizer_updates import Divide
from renga_core import random
from renga_core.backend import Array, get_backend, get_device_of, is_array
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.optimizer.fp32_copy import check_finite
from renga_core.optimizer.groups import prepare_grads
from renga_core.tracer import Tracer

__all__ = ["CapturedScaling"]

_EARLIER = LOSS_SCALE / 2
"""Stands for the loss scale before the last update of the step."""


class CapturedScaling:
    """Stands in for the parts of an optimizer's update that have to do with its loss scale, during a capture.

    Backward starts from the scale on the GPU. An update checks gradients there, chooses the numbers of the update by
    how many were skipped before, divides by the scale, and adapts it. Kernels of an update change nothing if gradients
    are not finite; hooks run, since the host does not know, and change gradients that nobody uses.

    Args:
        optimizer: The optimizer, with a dynamic loss scale.
        numbers: Those of its updates.
        table: From which `numbers` are chosen; see `choose_numbers`.

    Attributes:
        scale: Its loss scale.
        updates: How many updates were captured.
    """

    def __init__(self, optimizer: GradientMethod, numbers: CapturedNumbers, table: Array) -> None:
        given = optimizer._dynamic_loss_scale
        assert given is not None
        self.scale = given if isinstance(given, DeviceLossScale) else DeviceLossScale(given)
        self.updates = 0
        self._optimizer, self._numbers, self._table = optimizer, numbers, table
        self._tracer = _ScaledBackward(self._params, self.scale)
        self._drawn = 0

    @contextmanager
    def capture(self) -> Iterator[None]:
        """In this block the optimizer's updates are captured. After an error it is as it was before.

        Raises:
            TypeError: A hook would do something else in a skipped update than in an ordinary one.
        """
        optimizer, before = self._optimizer, self._optimizer._dynamic_loss_scale
        self._check_hooks()
        self._make_states()
        grads = [(param, param._grad, param._loss_scale) for param in self._params()]
        stand_ins = {
            "check_nan_in_grads": self._check,
            "_prepare_grads": self._prepare,
            "update_loss_scale": self._adjust,
        }
        for param in self._params():
            param._loss_scale = None  # of gradients from before the capture, which the step clears
        vars(optimizer).update(stand_ins, _dynamic_loss_scale=self.scale)
        self.scale.in_capture = self._tracer.begin
        try:
            yield
        except BaseException:
            optimizer._dynamic_loss_scale = before
            for param, grad, scale in grads:
                param._grad, param._loss_scale = grad, scale
            raise
        finally:
            self.scale.in_capture = None
            self._tracer.leave()
            for name in stand_ins:
                del vars(optimizer)[name]
            for param in self._params():
                if param._loss_scale in (LOSS_SCALE, _EARLIER):
                    param._loss_scale = None

    # --- the parts of an update ---------------------------------------------------------------------------------------

    def _check(self) -> None:
        """In place of `Optimizer.check_nan_in_grads`."""
        alike: dict[Any, list[Array]] = {}
        for param in self._params():
            if param.grad is not None:
                alike.setdefault(param.grad.dtype, []).append(param.grad)
                if param._loss_scale == _EARLIER:
                    raise _refusal(f"two updates use the same gradient of {param.name or 'a parameter'}")
        for grads in alike.values():
            check_finite(get_backend(grads[0]), [self.scale.finite.view(bool)] * len(grads), grads)
        self.scale.choose_numbers(self._table, self._numbers.array)
        self._optimizer._is_safe_to_update = True
        self._drawn = self._position()

    def _prepare(self, link: Link) -> None:
        """In place of `GradientMethod._prepare_grads`: divide by the scale what the update itself does not."""
        hooks, params = bool(self._optimizer._hooks), list(link.params(include_uninit=False))
        alike: dict[Any, list[Array]] = {}
        widened = 0
        for param in params:
            rule, grad = param.update_rule, param.grad
            if rule is None or grad is None or param._loss_scale not in (None, LOSS_SCALE):
                continue
            if isinstance(rule, UpdateRule) and rule.goes_through_fp32(param):
                widened += hooks or not rule.in_groups(param)
                continue
            alike.setdefault(grad.dtype, []).append(grad)
            param._loss_scale = 1.0
        for dtype, grads in alike.items():
            self._divide(dtype, grads)
        with self._numbers.capture(always=True):
            prepare_grads(params, LOSS_SCALE, hooks)
        if self._numbers.rows != widened:
            raise TypeError(
                "a step with a dynamic loss scale cannot be captured: the kernel `widen` of the CuPy plugin does not "
                "take some of its gradients. Next: see `renga kernels widen` for why"
            )

    def _divide(self, dtype: Any, grads: list[Array]) -> None:
        """Divide gradients by the scale as CuPy divides them by a number, in place."""
        if dtype.kind == "c":
            return  # the update is refused, with the reason
        if dtype.itemsize < 4:
            scale = scale_as(self.scale.state, dtype, ())
            for grad in grads:
                grad /= scale
            return
        with self._numbers.capture(always=True):
            Divide.forward(grads, LOSS_SCALE)

    def _adjust(self) -> None:
        """In place of `Optimizer.update_loss_scale`."""
        if self._position() != self._drawn:
            raise _refusal("one of its hooks draws random numbers, which an update that is skipped must not")
        self.scale.adjust_there()
        self.updates += 1
        self._tracer.renew()
        for param in self._params():
            if param._loss_scale == LOSS_SCALE:
                param._loss_scale = _EARLIER

    # --- before the capture -------------------------------------------------------------------------------------------

    def _check_hooks(self) -> None:
        for hooks in (self._optimizer._all_hooks("update"), *[rule._hooks for _, rule in self._with_rules()]):
            for hook in hooks.at("post"):
                raise _refusal(f"its hook {_named(hook)} runs after updates, also after those that are skipped")
            for hook in hooks.at("pre"):
                owner = getattr(hook, "__self__", hook)  # of a method, the object
                if any(is_array(value) for value in getattr(owner, "__dict__", {}).values()):
                    raise _refusal(f"its hook {_named(hook)} has arrays, which a skipped update must not change")

    def _make_states(self) -> None:
        """If all updates so far were skipped, rules have no states yet, and the graph must not make them."""
        for param, rule in self._with_rules():
            if rule.t == 0 and param.grad is not None and rule.in_groups(param):
                device, scale = get_device_of(param.array), param._loss_scale
                param._loss_scale = None  # the gradient stays as it is
                with device.use():
                    rule.begin(param, device, in_group=True)
                rule.t, param._loss_scale = 0, scale

    def _params(self) -> Sequence[Parameter]:
        return list(self._optimizer.target.params(include_uninit=False))

    def _with_rules(self) -> list[tuple[Parameter, UpdateRule]]:
        pairs = [(param, param.update_rule) for param in self._params()]
        return [(param, rule) for param, rule in pairs if isinstance(rule, UpdateRule)]

    def _position(self) -> int:
        return int(random.generator(get_backend("cupy")).position)


class _ScaledBackward(Tracer):
    """Lets backward start from the loss scale on the GPU. Observes from the first time that the scale is read."""

    def __init__(self, params: Callable[[], Iterable[Parameter]], scale: DeviceLossScale) -> None:
        self._params, self._scale = params, scale
        self._value = LossScaleOnTheGPU()
        self._observes = False

    def begin(self) -> Any:
        """What the program gets as the loss scale; observe how it is used."""
        if not self._observes:
            self._observes = True
            self.__enter__()
        return self._value

    def renew(self) -> None:
        """Note that the scale has changed."""
        self._value = LossScaleOnTheGPU()

    def leave(self) -> None:
        """See `Tracer`."""
        self._observes = False
        super().leave()

    def backward(
        self,
        proceed: Callable[..., None],
        outputs: list[Variable],
        grad_outputs: Sequence[Any] | None,
        retain_grad: bool,
        differentiable: bool,
        loss_scale: Any,
    ) -> None:
        """See `Tracer`."""
        if isinstance(loss_scale, LossScaleOnTheGPU) and loss_scale is not self._value:
            raise _refusal("backward begins with a loss scale that was read before the last update")
        before = [(param, param._loss_scale) for param in self._params() if param._grad is not None]
        self.leave()  # for what happens inside, so that the same functions are called as without
        try:
            if loss_scale is self._value:
                if grad_outputs is None:
                    outputs[:] = {id(y): y for y in outputs}.values()
                    grad_outputs = [None] * len(outputs)
                starts = [self._start(y, given) for y, given in zip(outputs, grad_outputs, strict=True)]
                proceed(outputs, starts, retain_grad, differentiable, LOSS_SCALE)
            else:
                proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
        finally:
            self.begin()
        for param, old in before:
            if old is not None and old != param._loss_scale and LOSS_SCALE in (old, param._loss_scale):
                raise _refusal(f"gradients of two loss scales are added up in {param.name or 'a parameter'}")

    def _start(self, y: Variable, given: Any) -> Any:
        """The gradient from which backward starts at `y`; None if it has one already, or can have none."""
        if given is not None or y._grad is not None or y.size > 1:
            return given
        return scale_as(self._scale.state, y.dtype, y.shape)


class LossScaleOnTheGPU:
    """The loss scale while a step is captured: it is on the GPU, and another in each replay."""

    def __repr__(self) -> str:
        return "the loss scale on the GPU"

    def _refuse(self, *args: object) -> Any:
        raise TypeError(
            "the loss scale of a captured step is on the GPU, and another in each replay, so the host cannot compute "
            "with it. Next: pass it on as it is, loss.backward(loss_scale=optimizer.loss_scale)"
        )

    __float__ = __int__ = __bool__ = __index__ = __format__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __array__ = _refuse


def _named(hook: Any) -> str:
    return str(getattr(hook, "name", getattr(hook, "__name__", type(hook).__name__)))


def _refusal(reason: str) -> TypeError:
    return TypeError(
        f"a step with a dynamic loss scale cannot be captured as it is: {reason}. Next: change that, use a constant "
        "scale (optimizer.set_loss_scale), or do not capture the step"
    )
