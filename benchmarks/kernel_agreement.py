"""`python -m benchmarks agreement kernels`: every kernel for the CPU beside its reference, and its bits.

Each kernel computes the samples of the conformance kit, and arguments that are large enough for several threads:
results and gradients. The distance from double precision may be a few times that of the reference. Bits are compared
between processes with 1 and 2 threads, and between two processes with 2 threads.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from benchmarks.environments import ROOT, process_environment
from benchmarks.records import RESULTS, machine
from renga_core.backend import get_backend
from renga_core.kernel import ListOperation, Operation, Sample, Seeded
from renga_core.kernel.implementation import Implementation
from renga_core.kernel.operation import known_operations, operations
from renga_core.plugin import Kernel, registry
from renga_core.plugin.provider import resolve

__all__ = ["agrees", "computed", "main", "markdown"]

FACTOR, ALWAYS = 8.0, 2e-6
"""Allowed ratio of the distances from double precision, and the distance that is always allowed."""
ZERO = 1e-4
"""Allowed norm of what is exactly 0 in double precision."""
STEADY = {"numba"}
"""Plugins that promise the same bits for any number of threads."""
PAGE = RESULTS / "kernels.md"
Row = Mapping[str, Any]


def computed() -> dict[str, dict[str, Any]]:
    """Compute every kernel for float32 on the NumPy backend, in this process.

    Returns:
        By kernel: `digest` of all bits, `samples` (number of them), `kernel` and `reference` (largest distances from
        double precision).
    """
    from benchmarks.kernel_arguments import large_arguments

    known_operations()
    large, found = large_arguments(), {}
    for offer, status in registry("kernel").list():
        provider = offer.provider
        if not (isinstance(provider, Kernel) and provider.backend == "numpy" and "float32" in provider.capabilities):
            continue
        if status.state.name != "READY":
            continue
        operation = operations[provider.op]
        target = resolve(provider.target)
        supports = resolve(provider.supports) if provider.supports else lambda *_: True
        kernel = Implementation(offer.full_name, target.forward, getattr(target, "backward", None), supports)
        found[f"{provider.op} {offer.full_name}"] = _outcome(operation, kernel, large.get(provider.op, []))
    return found


def _outcome(operation: Operation, kernel: Implementation, large: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """All samples that a kernel supports."""
    digest, distances = hashlib.sha256(), [(0.0, 0.0)]
    samples = _samples(operation, large)
    number = 0
    for sample in samples:
        args = tuple(get_backend("numpy").asarray(a) if isinstance(a, np.ndarray) else a for a in sample.args)
        if not kernel.supports(*_ready(args, np.float32)):
            continue
        number += 1
        with np.errstate(all="ignore"):
            got = _results(operation, kernel, sample, np.float32)
            single = _results(operation, operation.reference, sample, np.float32)
            double = _results(operation, operation.reference, sample, np.float64)
        for array in got:
            digest.update(np.ascontiguousarray(array).tobytes())
        distances += [(_apart(a, c), _apart(b, c)) for a, b, c in zip(got, single, double, strict=True)]
    worst = max(distances, key=lambda pair: (pair[0] - FACTOR * pair[1] > ALWAYS, pair[0]))
    return {"digest": digest.hexdigest(), "samples": number, "kernel": worst[0], "reference": worst[1]}


def _samples(operation: Operation, large: Sequence[tuple[Any, ...]]) -> Iterator[Sample]:
    """The kit's, and the large ones with the kit's way of calling backward."""
    if not operation.samples:
        return
    small = list(resolve(operation.samples)(np.random.default_rng(0), np.dtype(np.float32)))
    yield from small
    for i, args in enumerate(large):
        yield Sample(f"large {i}", args, small[0].backward, small[0].changed)


def _ready(args: Sequence[Any], dtype: type[Any]) -> tuple[Any, ...]:
    """Arguments for a call: copies of arrays in a precision, new generators."""

    def one(x: Any) -> Any:
        if isinstance(x, Seeded):
            return np.random.default_rng(x.seed)
        if isinstance(x, np.ndarray):
            return x.astype(dtype if x.dtype == np.float32 else x.dtype, order="K")
        return x

    return tuple(map(one, args))


def _results(operation: Operation, implementation: Implementation, sample: Sample, dtype: type[Any]) -> list[Any]:
    """The results that callers see: the first one, or those that it changes; and the gradients."""
    args = _ready(sample.args, dtype)
    if isinstance(operation, ListOperation):
        implementation.forward(*[[a] for a in args[: operation.lists]], *args[operation.lists :])
        return [args[i] for i in sample.changed]
    y = implementation.forward(*args)
    first = y[0] if isinstance(y, (tuple, list)) else y
    results = [np.array(first)]
    if implementation.backward is not None and sample.backward is not None:
        gy = np.random.default_rng(1).uniform(-1, 1, first.shape).astype(dtype)
        gradients = implementation.backward(*sample.backward(args, y, gy))
        gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
        results += [g for g in gradients if isinstance(g, np.ndarray)]
    return results


def _apart(a: Any, b: Any) -> float:
    """The norm of the difference divided by the norm; elements that are not finite must be equal."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return float("inf")
    apart, norm = np.linalg.norm(a[finite] - b[finite]), np.linalg.norm(b[finite])
    if norm == 0:  # for example the gradient of a normalization over one element
        return 0.0 if apart <= ZERO else float("inf")
    return float(apart / norm)


def agrees(name: str, row: Row) -> bool:
    """Whether rounding explains the distance, and bits are equal: in each run, and with `STEADY` plugins on threads."""
    near = row["kernel"] <= FACTOR * row["reference"] + ALWAYS
    steady = row["threads"] or name.split()[1].partition(":")[0] not in STEADY
    return bool(near and steady and row["again"])


def markdown(rows: Mapping[str, Row]) -> str:
    """Return the page."""
    lines = ["| operation | kernel | samples | kernel and float64 | reference and float64 | 1 and 2 threads | again |"]
    lines.append("|---|---|---:|---:|---:|---|---|")
    for name, row in rows.items():
        bits = ["equal" if row[key] else "**other bits**" for key in ("threads", "again")]
        cells = [*name.split(), str(row["samples"]), f"{row['kernel']:.1e}", f"{row['reference']:.1e}", *bits]
        lines.append(f"| {' | '.join(cells)} |")
    table = "\n".join(lines)
    return f"""# kernels

Every kernel for float32 arrays of the NumPy backend beside the reference of its operation. Measured by
`python -m benchmarks agreement kernels` on {machine()}.

Samples: those of the conformance kit that the kernel supports, and larger ones, which several threads compute. The
distances are the norm of the difference divided by the norm, of results and gradients, in the worst sample. A kernel
may be {FACTOR:g} times as far from double precision as the reference in float32, and {ALWAYS:g} more. Bits: of all
results and gradients, in processes with 1 and 2 threads, and in two processes with 2 threads. numba's kernels promise
equal bits for any number of threads. They come before oneDNN's where those depend on it.

{table}
"""


def main(threads: int) -> int:
    """Compute in three processes; return 1 if a kernel is too far from the reference, or has other bits."""
    several, single, again = (_elsewhere(number) for number in (threads, 1, threads))
    rows = {
        name: {
            **row,
            "threads": row["digest"] == single[name]["digest"],
            "again": row["digest"] == again[name]["digest"],
        }
        for name, row in several.items()
    }
    PAGE.write_text(markdown(rows))
    wrong = [name for name, row in rows.items() if not agrees(name, row)]
    for name in wrong:
        row = rows[name]
        changed = (not row["threads"], not row["again"])
        bits = " and ".join(compress(("other bits with one thread", "other bits in another run"), changed))
        print(f"{name}: {row['kernel']:.1e} from float64, reference {row['reference']:.1e}, {bits or 'equal bits'}")
    print(f"{len(rows)} kernels, {len(wrong)} disagree; written to {PAGE.relative_to(ROOT)}")
    return int(bool(wrong))


def _elsewhere(threads: int) -> dict[str, dict[str, Any]]:
    """Call `computed` in another process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.kernel_agreement"],
        cwd=ROOT,
        env=process_environment(sys.executable, threads, {"RENGA_THREADS": str(threads)}),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    print(json.dumps(computed()))
