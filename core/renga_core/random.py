"""Random numbers: one generator for each backend, all seeded by one call.

Dropout, initializers and data iterators draw from here and nowhere else, so that a seed decides a whole run and a
snapshot can hold the state of everything random. NumPy's global generator is never used, unless a layer for programs
that seed it says so with `use`.
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
"""By the backend's name, what `use` has been told to ask for a generator in place of the backend's own."""


def seed(value: int) -> None:
    """Start every backend's generator, and every seed handed out later, from `value` (a non-negative integer)."""
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {value!r}")
    global _entropy, _children
    with _lock:
        _entropy, _children = int(value), 0
        _replace_generators({})


def generator(backend: Backend) -> Any:
    """The generator of `backend`, made from the seed at its first use; from the system's entropy if there was none."""
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
    """From now on, draw the numbers of a backend from another generator, which no seed reaches; not so if None.

    For layers that run programs with a generator of their own.

    Args:
        name: The backend's.
        find: Called whenever a generator is asked for. Gives what the backend's `make_generator` makes, or something
            with its methods, so that `generator_state` and `set_generator_state` work on it; or None, for a caller that
            draws from the backend's own.
    """
    with _lock:
        if find is None:
            _given.pop(name, None)
        else:
            _given[name] = find


def spawn_seed() -> int:
    """A new seed for something with a generator of its own, such as an iterator: the n-th call gives the n-th child."""
    global _children
    with _lock:
        _children += 1
        return _derive(f"child {_children}")


def get_state() -> dict[str, Any]:
    """The state of everything random, as data that JSON can hold."""
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
    """Put everything random into a state that `get_state` returned.

    Raises:
        UnknownProvider, ProviderUnavailable: The state holds a generator of a backend that is not there.
    """
    global _entropy, _children
    with _lock:
        made = _made_from(state)
        _entropy, _children = state["entropy"], state["children"]
        _replace_generators(made)
        _set_given(state)


def exchange(state: tuple[Any, ...] = (None, 0, {})) -> tuple[Any, ...]:
    """Put everything random into a state that this function returned, and return the one until now.

    For whoever runs several programs in turn in one process, each with random numbers of its own. Nothing is copied.

    Args:
        state: What an earlier call returned; by default that of a program that has drawn nothing.
    """
    global _entropy, _children
    with _lock:
        before = _entropy, _children, dict(_generators)
        _entropy, _children, made = state
        _replace_generators(made)
        return before


@contextmanager
def replaying(state: Mapping[str, Any]) -> Iterator[None]:
    """While a ``with`` block runs, all generators repeat their draws from a `state`; then they continue as before.

    That is of all threads: none but one may draw meanwhile.

    Raises:
        UnknownProvider, ProviderUnavailable: As `set_state`.
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
    """The generators that `use` has given, if this caller is to draw from them."""
    return {name: found for name, find in _given.items() if (found := find()) is not None}


def _replace_generators(made: Mapping[str, Any]) -> None:
    """Have these and no others."""
    _generators.clear()
    _generators.update(made)


def _set_given(state: Mapping[str, Any]) -> None:
    """Put generators that `use` has given into the states that `get_state` returned."""
    from renga_core.backend import get_backend

    for name, given in _given_now().items():
        if name in state["generators"]:
            get_backend(name).set_generator_state(given, state["generators"][name])


def _made_from(state: Mapping[str, Any]) -> dict[str, Any]:
    """New generators in the states that `get_state` returned; those that `use` has replaced, as they are."""
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
    """A 63-bit seed that depends on the user's seed and on what it is for, and on nothing else."""
    global _entropy
    if _entropy is None:
        _entropy = int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]  # always one integer
    sequence = np.random.SeedSequence([_entropy, *purpose.encode()])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
