"""Sharded updates: each rank updates a share of each parameter, and has only that share's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from renga_comm_base.packing import buckets
from renga_core.backend import Array, get_array_module, get_device_of, is_array, to_host
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, Optimizer, UpdateRule
from renga_core.serializers import AbstractSerializer, Deserializer, Serializer
from renga_distributed.optimizers.private import State

__all__ = ["Shares"]

_WIDE = "fp32_param"
"""Name of the float32 copy that a rule keeps of a half-precision parameter."""


class Shares:
    """Shares a gradient method's updates between ranks.

    Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (arXiv:1910.02054), stage 1
    (P_os): gradients are averaged as usual, each rank updates its share, and all ranks receive all shares. A rank's
    share of a parameter is `CommunicatorBase.share` of its elements, so the load is balanced up to one element per
    parameter. Update rules that treat each element separately (all of `renga.optimizers`) compute the same as for the
    whole parameter, bit for bit.

    Args:
        optimizer: The optimizer; its `update_parameters` is replaced by `update`.
        communicator: Between the ranks.

    Raises:
        TypeError: `optimizer` is not a gradient method.
    """

    def __init__(self, optimizer: Optimizer, communicator: CommunicatorBase) -> None:
        if not isinstance(optimizer, GradientMethod):
            raise TypeError(
                f"sharded=True: {type(optimizer).__name__} is not a GradientMethod, so it is not known what in it "
                "updates a parameter"
            )
        self._optimizer, self._communicator = optimizer, communicator
        self._update = optimizer.update_parameters
        optimizer.update_parameters = self.update  # type: ignore[method-assign]  # of this one, whatever its class

    def update(self, params: Iterable[Parameter]) -> None:
        """Update this rank's shares of parameters, and receive the others."""
        updated = [param for param in params if _is_updated(param)]
        shares = [self._share(param) for param in updated]
        self._update(shares)
        for bucket in buckets([param.array for param in updated], self._communicator.get_config("bucket_bytes")):
            by_dtype: dict[Any, list[int]] = {}
            for i in bucket:
                by_dtype.setdefault(updated[i].dtype, []).append(i)
            for alike in by_dtype.values():
                self._gather([updated[i] for i in alike], [shares[i].array for i in alike])

    def _share(self, param: Parameter) -> Parameter:
        """This rank's share of a parameter and its gradient; it uses the parameter's update rule."""
        assert param.grad is not None  # otherwise it is not updated
        begin, end = self._communicator.share(param.size)
        share = Parameter(name=param.name)
        # Set the gradient first: in an update it may be float32 although the parameter is not.
        share.grad = param.grad.reshape(-1)[begin:end]
        share._loss_scale = param._loss_scale  # which an update in float32 divides by
        share.array = param.array.reshape(-1)[begin:end]
        share.update_rule = param.update_rule
        return share

    def _gather(self, params: Sequence[Parameter], shares: Sequence[Array]) -> None:
        """Assemble parameters of one dtype from the shares of all ranks."""
        xp = get_array_module(*shares)
        with get_device_of(shares[0]).use():
            given = self._communicator.allgather(xp.concatenate(shares))
            places = [0] * len(given)
            for param in params:
                parts = []
                for rank, flat in enumerate(given):
                    begin, end = self._communicator.share(param.size, rank)
                    parts.append(flat[places[rank] : places[rank] + end - begin])
                    places[rank] += end - begin
                param.array[...] = xp.concatenate(parts).reshape(param.shape)

    # --- ranks that die: as of `renga_distributed.optimizers.private.Private` -----------------------------------------

    what = "its share of the optimizer's state"

    def own(self) -> State:
        """This rank's shares of the elementwise states of update rules, by path and name."""
        found: State = {}
        for path, rule in self._rules():
            found |= {f"{path}/{name}": to_host(value) for name, value in rule.state.items() if _is_shared(value)}
            if rule._fp32_param is not None:
                found[f"{path}/{_WIDE}"] = to_host(rule._fp32_param.array)
        return found

    def take(self, state: State) -> None:
        """Replace the shares."""
        rules = dict(self._rules())
        for key, share in state.items():
            path, _, name = key.rpartition("/")
            rule = rules[path]
            if name == _WIDE:
                rule._fp32_param = Parameter(share.copy())
            else:
                rule._state = {**rule.state, name: share.copy()}
            rule._device = None  # the new state is on the host

    def indivisible(self) -> str:
        """Any number of ranks is possible."""
        return ""

    def share_out(self, states: Sequence[State]) -> State:
        """The same as loading a snapshot with another number of ranks."""
        wholes = {key: np.concatenate([state[key] for state in states]) for key in states[0]}
        return {key: whole[slice(*self._communicator.share(len(whole)))] for key, whole in wholes.items()}

    def _rules(self) -> Iterator[tuple[str, UpdateRule]]:
        for path, param in self._optimizer.target.namedparams(include_uninit=False):
            if isinstance(param.update_rule, UpdateRule):
                yield path, param.update_rule

    def whole(self, serializer: AbstractSerializer, link: Link) -> AbstractSerializer:
        """A serializer for the optimizer that saves and loads the state of whole parameters.

        All ranks save at the same time, and each saves everything. Each loads the values that it is given.
        """
        params = dict(link.namedparams(include_uninit=False))
        if isinstance(serializer, Deserializer):
            return _Cutting(serializer, self._communicator, params)
        return _Joining(serializer, self._communicator, params)


def _is_updated(param: Parameter) -> bool:
    return param.grad is not None and param.update_rule is not None and param.update_rule.enabled


class _OfShares(AbstractSerializer):
    """A serializer whose children, named like parameters, are for the update rules of these parameters.

    Args:
        inner: The serializer that saves or loads.
        communicator: Gathers the shares.
        params: Parameters by path.
        param: The parameter whose update rule it serves.
    """

    def __init__(
        self,
        inner: AbstractSerializer,
        communicator: CommunicatorBase,
        params: dict[str, Parameter],
        param: Parameter | None = None,
    ) -> None:
        self._inner, self._communicator, self._params, self._param = inner, communicator, params, param

    def __getitem__(self, key: str) -> Self:
        return type(self)(self._inner[key], self._communicator, self._params, self._params.get(key))


class _Joining(_OfShares, Serializer):
    """Saves the state of whole parameters."""

    def __call__(self, key: str, value: Any) -> Any:
        if self._param is None or not _is_shared(value):
            return self._inner(key, value)
        self._communicator.agree("serialize a sharded optimizer", key)
        # The state of a rank that has just taken the place of another is on the host until its first update.
        shares = self._communicator.allgather(self._param.device.send(value))
        self._inner(key, get_array_module(*shares).concatenate(shares).reshape(self._param.shape))
        return value


class _Cutting(_OfShares, Deserializer):
    """Loads this rank's share of the state of whole parameters."""

    def __call__(self, key: str, value: Any) -> Any:
        if self._param is None:
            return self._inner(key, value)
        begin, end = self._communicator.share(self._param.size)
        if value is None:
            loaded = self._inner(key, None)
            fits = loaded is not None and np.shape(loaded) == self._param.shape
            return np.asarray(loaded).reshape(-1)[begin:end] if fits else loaded
        if not _is_shared(value):
            return self._inner(key, value)
        # A whole array to be filled; if arrays are only compared, this rank's share stays unchanged.
        whole = np.zeros(self._param.shape, value.dtype)
        whole.reshape(-1)[begin:end] = to_host(value)
        value[...] = get_device_of(value).send(self._inner(key, whole).reshape(-1)[begin:end])
        return value


def _is_shared(value: Any) -> bool:
    """Whether it is a state per element of a parameter, not one number for all."""
    return is_array(value) and value.ndim > 0
