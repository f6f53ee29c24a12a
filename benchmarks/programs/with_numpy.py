"""The same arithmetic with NumPy alone, without a graph and gradients."""

from __future__ import annotations

from benchmarks.programs import initial


def to_numpy(result):
    return result


def overhead(size):
    def build():
        x, w, b = initial.chain(size)

        def forward():
            y = x
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        return forward

    return build


PROGRAMS = {"": {f"overhead_{size}_forward": overhead(size) for size in (1, 32)}}
