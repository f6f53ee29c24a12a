"""``chainer.training.updaters``: one batch per update, saved under Chainer's names; devices by number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from renga_chainer.modules.chainer.backends import cuda
from renga_chainer.modules.chainer.dataset.convert import call_converter
from renga_core.backend import Device, get_device
from renga_core.graph import force_backprop_mode
from renga_core.serializers import AbstractSerializer
from renga_data.convert import concat_examples
from renga_training.updaters import MultiprocessParallelUpdater as MultiprocessParallelUpdater
from renga_training.updaters import StandardUpdater as RengaUpdater
from renga_training.updaters.parts import call

__all__ = ["MultiprocessParallelUpdater", "ParallelUpdater", "StandardUpdater"]


class StandardUpdater(RengaUpdater):
    """Takes a batch from an iterator, computes its loss and updates the parameters with one optimizer.

    Args:
        iterator, optimizer, converter, loss_func, loss_scale, auto_new_epoch: As in `renga.training.StandardUpdater`.
        device: Device for models and batches: a number, a name or a device.
        input_device: Device for batches; `device` if None.

    Attributes:
        device, input_device: Devices or None.
    """

    def __init__(
        self,
        iterator: Any,
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Any = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
        *,
        input_device: Any = None,
    ) -> None:
        # Not the base class's, which uses attributes that a program's own iterator may lack.
        self._device = _checked_device(device)
        self._input_device = self._device if input_device is None else _checked_device(input_device)
        self._iterators = iterator if isinstance(iterator, Mapping) else {"main": iterator}  # type: ignore[assignment]  # the program's own
        self._optimizers = optimizer if isinstance(optimizer, Mapping) else {"main": optimizer}  # type: ignore[assignment]  # as above
        self.converter = converter
        self.loss_func = loss_func
        self.loss_scale = loss_scale
        self.auto_new_epoch = auto_new_epoch
        self.iteration = 0
        for each in self._optimizers.values():
            if self._device is not None:
                each.target.to_device(self._device)
            if loss_scale is not None:
                each.set_loss_scale(loss_scale)
            if auto_new_epoch:
                each.use_auto_new_epoch = True

    @property
    def device(self) -> Device | None:  # type: ignore[override]  # not to be set
        """Device of the models."""
        return self._device

    @property
    def input_device(self) -> Device | None:
        """Device of the batches."""
        return self._input_device

    @property
    def previous_epoch_detail(self) -> Any:  # type: ignore[override]  # the iterator counts
        """Epoch of the main iterator."""
        return self._iterators["main"].previous_epoch_detail

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]  # as above
        """Whether the last batch completed an epoch."""
        return self._iterators["main"].is_new_epoch

    def update(self) -> None:
        """Make one update."""
        with self.taken_back():
            self.update_core()
        self.iteration += 1

    def update_core(self) -> None:
        """Make the update itself. Raises StopIteration if the iterator is exhausted."""
        iterator, optimizer = self._iterators["main"], self._optimizers["main"]
        arrays = call_converter(self.converter, iterator.next(), self.input_device)
        loss_func = self.loss_func or optimizer.target
        call(lambda *args, **kwargs: optimizer.update(loss_func, *args, **kwargs), arrays)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load iterators, models, optimizers and the number of iterations."""
        for name, iterator in self._iterators.items():
            iterator.serialize(serializer["iterator:" + name])
        for name, optimizer in self._optimizers.items():
            # Models come first: an optimizer's state needs the parameters.
            optimizer.target.serialize(serializer["model:" + name])
            optimizer.serialize(serializer["optimizer:" + name])
        self.iteration = serializer("iteration", self.iteration)


class ParallelUpdater(StandardUpdater):
    """Splits each batch among several devices. As in Chainer, gradients are summed over devices.

    Each step is therefore multiplied by the number of devices; `renga.training.ParallelUpdater` takes the mean.

    Args:
        iterator, optimizer, converter, loss_func, loss_scale, auto_new_epoch: As in `StandardUpdater`.
        models: Models by name; ``"main"`` is the optimizer's. If None, copies are made for `devices`.
        devices: Devices by name.

    Raises:
        RuntimeError: A device is a GPU, but there is no GPU.
        ValueError: Neither models nor devices are given. KeyError: There is no ``"main"``.
    """

    def __init__(
        self,
        iterator: Any,
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        models: Mapping[str, Any] | None = None,
        devices: Mapping[str, Any] | None = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
    ) -> None:
        super().__init__(iterator, optimizer, converter, None, loss_func, loss_scale, auto_new_epoch)
        target = self.get_optimizer("main").target
        if models is None and devices is None:
            raise ValueError("either models or devices must be specified")
        if devices is not None and "main" not in devices:
            raise KeyError("'devices' must contain a 'main' key.")
        there: dict[str, Any] = {name: _checked_device(device) for name, device in (devices or {}).items()}
        if models is None:
            models = {"main": target, **{name: target.copy("copy") for name in there if name != "main"}}
            for name, model in models.items():
                model.to_device(there[name])
        self._models = dict(models)
        self._devices = there or {name: model.device for name, model in self._models.items()}

    def connect_trainer(self, trainer: Any) -> None:
        """Register the copies with the reporter, under their own names."""
        main = self.get_optimizer("main").target
        for name, model in self._models.items():
            if model is not main:
                trainer.reporter.add_observer(name, model)
                trainer.reporter.add_observers(name, model.namedlinks(skipself=True))

    def update_core(self) -> None:
        """Make the update itself."""
        optimizer, iterator = self.get_optimizer("main"), self.get_iterator("main")
        main = optimizer.target
        batch = iterator.next()
        losses = []
        for i, (name, model) in enumerate(self._models.items()):
            arrays = call_converter(self.converter, batch[i :: len(self._models)], self._devices[name])
            with force_backprop_mode(), self._devices[name].use():
                losses.append(call(self.loss_func or model, arrays))
        # Only now do all parameters have a shape.
        for model in self._models.values():
            model.cleargrads()
        for loss in losses:
            loss.backward(loss_scale=self.loss_scale or 1.0)
        others = [model for model in self._models.values() if model is not main]
        for model in others:
            main.addgrads(model)
        optimizer.update()
        for model in others:
            model.copyparams(main)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)


def _checked_device(device: Any) -> Device | None:
    """Return a device by number, name or device; Chainer's error for a GPU if there is no GPU."""
    if device is None or isinstance(device, Device):
        return device
    if (isinstance(device, int) and device >= 0) or (isinstance(device, str) and device.startswith(("@cupy", "cupy"))):
        cuda.check_cuda_available()
    return get_device(device)
