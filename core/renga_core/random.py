"""Random numbers: one generator for each backend, all set by one seed.

Dropout, initializers and data iterators use only these generators, so one seed determines a whole run, and a snapshot
can save the complete random state. NumPy's global generator is not used, unless a compatibility layer requests it with
`use`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.configuration import config, unusual
from renga_core.tracepoints import traced

if TYPE_CHECKING:
    from renga_core.backend import Backend

__all__ = ["exchange", "generator", "get_state", "replaying", "seed", "set_state", "spawn_seed", "use"]

_lock = threading.RLock()
_entropy: int | None = None
_children = 0
_generators: dict[str, Any] = {}
_given: dict[str, Callable[[], Any]] = {}
"""The functions passed to `use`, by the backend's name; they replace the backend's own generator."""


def seed(value: int) -> None:
    """Seed every backend's generator, and the seeds of `new_seed`, with `value` (a non-negative integer)."""
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {value!r}")
    global _entropy, _children
    with _lock:
        _entropy, _children = int(value), 0
        _replace_generators({})


def generator(backend: Backend) -> Any:
    """The generator of `backend`, seeded at its first use; with the system's entropy if no seed was set."""
    if unusual and config.tracers:
        return traced("generator", generator, backend)
    if (find := _given.get(backend.name)) is not None and (given := find()) is not None:
        return given
    found = _generators.get(backend.name)
    if found is None:
        with _lock:
            found = _generators.setdefault(backend.name, _make(backend))
    return found


def use(name: str, find: Callable[[], Any] | None) -> None:
    """From now on, use another generator for a backend, which `seed` does not affect; None restores the backend's own.

    For compatibility layers that run programs with their own generator.

    Args:
        name: Name of the backend.
        find: Called for every request; returns an object like those of the backend's `make_generator`, on which
            `generator_state` and `set_generator_state` work; or None, to use the backend's own for this caller.
    """
    with _lock:
        if find is None:
            _given.pop(name, None)
        else:
            _given[name] = find


def spawn_seed() -> int:
    """A new seed for an object with its own generator, such as an iterator: the n-th call returns the n-th child."""
    global _children
    with _lock:
        _children += 1
        return _derive(f"child {_children}")


def get_state() -> dict[str, Any]:
    """The complete random state, as JSON data."""
    from renga_core.backend import get_backend

    with _lock:
        return {
            "entropy": _entropy,
            "children": _children,
            "generators": {
                name: get_backend(name).generator_state(g) for name, g in {**_generators, **_given_now()}.items()
            },
        }


def set_state(state: Mapping[str, Any]) -> None:
    """Restore a state that `get_state` returned.

    Raises:
        UnknownProvider, ProviderUnavailable: The state contains a generator of a backend that does not exist here.
    """
    global _entropy, _children
    with _lock:
        made = _made_from(state)
        _entropy, _children = state["entropy"], state["children"]
        _replace_generators(made)
        _set_given(state)


def exchange(state: tuple[Any, ...] = (None, 0, {})) -> tuple[Any, ...]:
    """Switch to a random state that this function returned earlier, and return the current one.

    For running several programs in turn in one process, each with its own random numbers. Nothing is copied.

    Args:
        state: The result of an earlier call; default: the state of a program that has drawn no numbers.
    """
    global _entropy, _children
    with _lock:
        before = _entropy, _children, dict(_generators)
        _entropy, _children, made = state
        _replace_generators(made)
        return before


@contextmanager
def replaying(state: Mapping[str, Any]) -> Iterator[None]:
    """Inside a ``with`` block, start all generators from `state`; afterwards they continue as before.

    This affects all threads: no other thread may draw numbers meanwhile.

    Raises:
        UnknownProvider, ProviderUnavailable: See `set_state`.
    """
    replayed = _made_from(state)
    with _lock:
        kept, now = dict(_generators), get_state()
        _replace_generators(replayed)
        _set_given(state)
    try:
        yield
    finally:
        with _lock:
            _replace_generators(kept)
            _set_given(now)


def _given_now() -> dict[str, Any]:
    """The generators of `use`, for this caller."""
    return {name: found for name, find in _given.items() if (found := find()) is not None}


def _replace_generators(made: Mapping[str, Any]) -> None:
    """Replace all generators."""
    _generators.clear()
    _generators.update(made)


def _set_given(state: Mapping[str, Any]) -> None:
    """Restore generators of `use` to the states that `get_state` returned."""
    from renga_core.backend import get_backend

    for name, given in _given_now().items():
        if name in state["generators"]:
            get_backend(name).set_generator_state(given, state["generators"][name])


def _made_from(state: Mapping[str, Any]) -> dict[str, Any]:
    """Make generators in the states that `get_state` returned; replaced ones keep their objects."""
    from renga_core.backend import get_backend

    given = _given_now()
    made = {name: _generators[name] for name in given.keys() & _generators.keys()}
    for name in state["generators"].keys() - given.keys():
        backend = get_backend(name)
        made[name] = backend.make_generator(0)
        backend.set_generator_state(made[name], state["generators"][name])
    return made


def _make(backend: Backend) -> Any:
    return backend.make_generator(_derive(backend.random_stream or backend.name))


def _derive(purpose: str) -> int:
    """A 63-bit seed that depends only on the user's seed and the purpose."""
    global _entropy
    if _entropy is None:
        _entropy = int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]  # always one integer
    sequence = np.random.SeedSequence([_entropy, *purpose.encode()])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
