"""One test of `renga doctor`, in a separate process: `python -m renga.cli.doctor_trial KIND NAME`.

The last line of its output is JSON: the state, and a description.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from renga_core.backend import Backend, get_backend
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import State, registry

__all__ = ["compute", "main"]


def main(kind: str, name: str) -> None:
    """Run the probe of a provider, and compute with it if it is an array backend; print the outcome."""
    state, reason, next_step = registry(kind).get(name, origin="renga doctor").probe()
    about = f"{reason}. {next_step}" if reason else "its probe found no problem"
    if state is State.READY and kind == ARRAY_BACKEND.name:
        try:
            about = compute(get_backend(name))
        except Exception as error:
            state, about = State.BROKEN, f"{type(error).__name__}: {error}"
    print()  # ends what the plugin may have printed
    print(json.dumps([state, about]))


def compute(backend: Backend) -> str:
    """Compute on each device of the backend, compare with NumPy, and describe what was done.

    Raises:
        AssertionError: A result is wrong.
    """
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 64, 64))
    for index in range(backend.device_count()):
        with backend.use_device(index):
            x, y = backend.asarray(a, index), backend.asarray(b, index)
            np.testing.assert_allclose(backend.to_host(x), a, err_msg="transfer there and back")
            np.testing.assert_allclose(backend.to_host(x @ y), a @ b, rtol=1e-6, atol=1e-9, err_msg="matrix product")
            total = backend.xp.exp(x).sum(axis=0)
            np.testing.assert_allclose(backend.to_host(total), np.exp(a).sum(axis=0), rtol=1e-6, err_msg="sum of exp")
            drawn = backend.to_host(backend.make_generator(0).random((1000,)))
            np.testing.assert_allclose(drawn, 0.5, atol=0.5, err_msg="random numbers between 0 and 1")
            np.testing.assert_allclose(drawn.mean(), 0.5, atol=0.1, err_msg="mean of random numbers")
            backend.synchronize()
    count = backend.device_count()
    done = (
        f"computes on {count} device{'s' if count != 1 else ''}: transfer, matrix product, sum of exp, random numbers"
    )
    info = backend.memory_info()
    if "pool_total" in info:
        done += f"; memory: {info['pool_used'] / 2**20:.0f} of {info['pool_total'] / 2**20:.0f} MiB held are in use"
    return done


if __name__ == "__main__":
    main(*sys.argv[1:])
