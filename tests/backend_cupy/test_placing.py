"""On a machine with two GPUs, work is queued on the one that the arrays are on, whichever is current."""

import sys

import numpy as np
import pytest

from renga_core.configuration import global_config
from renga_core.graph import FunctionNode, Variable, grad


@pytest.fixture
def backend(fake, monkeypatch):
    from renga_backend_cupy.backend import CupyBackend
    from renga_core.backend import lookup

    backend = CupyBackend()
    backend.xp = np
    monkeypatch.setitem(lookup.array_types, fake.ndarray, backend)
    return backend


@pytest.fixture
def places(fake):
    """A function that notes the current device, forward and backward; and its notes."""
    notes = []

    class Double(FunctionNode):
        def forward(self, inputs):
            notes.append(("forward", fake.state.device))
            return (inputs[0] * 2,)

        def backward_arrays(self, targets, gys):
            notes.append(("backward", fake.state.device))
            return (gys[0] * 2,)

    return notes, lambda x: Double().apply((x,))[0]


def on(backend, device, values=(1.0, 2.0)):
    return backend.asarray(np.array(values, np.float32), device)


def test_functions_and_backward(fake, backend, places):
    notes, double = places
    x = Variable(on(backend, 1))
    y = double(double(x))
    y.grad = on(backend, 1)
    assert fake.state.device == 0
    y.backward()
    assert fake.state.device == 0
    assert notes == [("forward", 1)] * 2 + [("backward", 1)] * 2
    assert x.grad.device.id == 1


def test_sums_of_gradients(fake, backend, places, monkeypatch):
    """Those of the walk, between functions, and that at a leaf which has a gradient already."""
    _, double = places
    x = Variable(on(backend, 1))
    z = double(x)
    y = double(z) + double(z) + x
    x.grad, y.grad = on(backend, 1), on(backend, 1)
    seen = []

    def add(self, other, plain=np.ndarray.__add__):
        seen.append(fake.state.device)
        return plain(self, other)

    def add_to(self, other, plain=np.ndarray.__iadd__):
        seen.append(fake.state.device)
        return plain(self, other)

    monkeypatch.setattr(fake.ndarray, "__add__", add, raising=False)
    monkeypatch.setattr(fake.ndarray, "__iadd__", add_to, raising=False)
    y.backward()
    assert len(seen) >= 3
    assert set(seen) == {1}
    assert fake.state.device == 0


def test_grad_leaves_the_current_device(fake, backend, places):
    notes, double = places
    x = Variable(on(backend, 1))
    (gx,) = grad([double(x)], [x], [Variable(on(backend, 1))])
    assert notes[-1] == ("backward", 1)
    np.testing.assert_array_equal(gx.array, [2, 4])
    assert fake.state.device == 0


def test_a_failed_backward_leaves_the_current_device(fake, backend, places):
    class Fails(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * 1,)

        def backward_arrays(self, targets, gys):
            raise FloatingPointError("no")

    _, double = places
    y = double(Fails().apply((Variable(on(backend, 1)),))[0])
    y.grad = on(backend, 1)
    with pytest.raises(FloatingPointError, match="no"):
        y.backward()
    assert fake.state.device == 0


def test_copydata_and_addgrad(fake, backend, monkeypatch):
    source, target = Variable(on(backend, 0)), Variable(on(backend, 1, (0.0, 0.0)))
    seen = []

    def put(self, key, value, plain=np.ndarray.__setitem__):
        seen.append(fake.state.device)
        plain(self, key, value)

    monkeypatch.setattr(fake.ndarray, "__setitem__", put, raising=False)
    target.copydata(source)
    assert seen == [1]
    np.testing.assert_array_equal(target.array, [1, 2])
    source.grad, target.grad = on(backend, 0), on(backend, 1)
    monkeypatch.setattr(
        fake.ndarray,
        "__add__",
        lambda self, other, plain=np.ndarray.__add__: (seen.append(fake.state.device), plain(self, other))[1],
        raising=False,
    )
    target.addgrad(source)
    assert seen == [1, 1]
    np.testing.assert_array_equal(target.grad, [2, 4])


def test_with_one_gpu_nobody_traces(fake, backend):
    from renga_backend_cupy.backend import CupyBackend

    assert len(global_config.tracers) == 1
    CupyBackend()
    assert len(global_config.tracers) == 1
    global_config.tracers = ()
    fake.state.devices = 1
    CupyBackend()
    assert global_config.tracers == ()


def test_gaps_are_closed_before_the_event_that_the_other_device_waits_for(fake, backend, monkeypatch):
    order = []
    cupy, record = sys.modules["cupy"], fake.Event.record
    close = cupy.ascontiguousarray
    monkeypatch.setattr(cupy, "ascontiguousarray", lambda x: (order.append(("close", fake.state.device)), close(x))[1])
    monkeypatch.setattr(fake.Event, "record", lambda self, stream=None: (order.append("record"), record(self, stream)))
    x = backend.asarray(np.arange(6.0).reshape(2, 3), 0).T
    np.testing.assert_array_equal(backend.asarray(x, 1), x)
    assert order[:2] == [("close", 0), "record"]
