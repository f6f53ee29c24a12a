"""Whole models."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_device, to_host
from renga_core.communicator import CommunicatorBase
from renga_core.link import Chain, Link
from renga_testing.suites.communicator_programs.arrays import noise
from renga_testing.suites.comparing import compare


def models(comm: CommunicatorBase, device: str) -> None:
    """Parameters become those of rank 0, and gradients the means over ranks; missing gradients are skipped or zero."""
    link: Any = Link(w=(2, 3), b=(2,))
    link.to_device(device)
    send = get_device(device).send
    for param in link.params():
        param.array[...] = comm.rank + 1
    comm.bcast_data(link)
    for name, param in link.namedparams():
        compare(param.array, np.ones(param.shape, np.float32), f"{name} after bcast_data", exact=True)
    mean = (comm.size + 1) / 2
    link.cleargrads()
    link.w.grad = send(np.full((2, 3), comm.rank + 1, np.float32))
    comm.multi_node_mean_grad(link)
    compare(link.w.grad, np.full((2, 3), mean, np.float32), "a gradient after multi_node_mean_grad", 1e-6)
    assert link.b.grad is None, "multi_node_mean_grad gave a gradient to a parameter that had none"
    comm.multi_node_mean_grad(link, zero_fill=True)
    filled = dict(link.namedparams())["/b"].grad
    assert filled is not None, "multi_node_mean_grad with zero_fill leaves a gradient missing"
    compare(filled, np.zeros(2, np.float32), "a missing gradient after zero_fill", exact=True)


def bcast_data(comm: CommunicatorBase, device: str) -> None:
    """`bcast_data` writes parameters of two dtypes into existing arrays; one without a shape stays without."""
    model = _model(device)
    arrays = {}
    for i, (name, param) in enumerate(sorted(model.namedparams())):
        if param.is_initialized:
            param.array[...] = get_device(device).send(noise(comm.rank, param.shape, i, str(param.dtype)))
            arrays[name] = param.array
    comm.bcast_data(model)
    for i, (name, param) in enumerate(sorted(model.namedparams())):
        if not param.is_initialized:
            assert name == "/late/w", f"{name} is not initialized after bcast_data"
            continue
        assert param.array is arrays[name], f"bcast_data gave {name} a new array"
        compare(param.array, noise(0, param.shape, i, str(param.dtype)), f"{name} after bcast_data", exact=True)


def mean_grad(comm: CommunicatorBase, device: str) -> None:
    """The means of gradients of a nested model do not depend on the size of buckets, bit for bit."""
    right: dict[str, Any] = {}
    before = comm.get_config("bucket_bytes")
    for limit in (before, 0, 40, None):
        comm.set_config("bucket_bytes", limit)
        model = _model(device)
        model.cleargrads()
        params = [(name, param) for name, param in sorted(model.namedparams()) if param.is_initialized]
        for i, (_, param) in enumerate(params):
            param.grad = get_device(device).send(noise(comm.rank, param.shape, i, str(param.dtype)))
        comm.multi_node_mean_grad(model)
        for i, (name, param) in enumerate(params):
            every = [noise(rank, param.shape, i, str(param.dtype)).astype(np.float64) for rank in range(comm.size)]
            what = f"the gradient of {name} with bucket_bytes {limit}"
            if name not in right:
                expected = np.mean(every, axis=0).astype(param.dtype)
                # The difference of large numbers has their rounding error.
                tolerance = 1e-6 * max(1.0, float(np.abs(every).max()))
                compare(param.grad, expected, what, tolerance)
                right[name] = to_host(param.grad).copy()
            compare(param.grad, right[name], f"{what}, compared with {before}", exact=True)
    comm.set_config("bucket_bytes", before)


def _model(device: str) -> Any:
    inner = Chain(first=Link(w=(4, 3), b=(4,)), second=Link(scale=((), np.float64), w=((3, 5), np.float64)))
    model: Any = Chain(inner=inner, last=Link(w=(50,)), late=Link(w=None))
    model.to_device(device)
    return model
