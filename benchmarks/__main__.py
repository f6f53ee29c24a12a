"""`python -m benchmarks [WORKLOAD …] [--against LIBRARY …]`; on a GPU: `python -m benchmarks gpu`."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import os
import sys

WORKLOADS = ("overhead", "convolution")
PEERS = ("torch", "numpy")
INSTALL = {"torch": "pip install torch==2.13.0"}


def main() -> int:
    if sys.argv[1:2] == ["gpu"]:
        from benchmarks.gpu.command import main as gpu

        return gpu(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"default: all of {', '.join(WORKLOADS)}")
    parser.add_argument("--against", default=",".join(PEERS), help="libraries, separated by commas")
    parser.add_argument("--rounds", type=int, default=30, help="how often each program is timed")
    arguments = parser.parse_args()
    names = arguments.workloads or WORKLOADS
    for name in names:
        if name not in WORKLOADS:
            parser.error(f"no workload {name!r}; there are {', '.join(WORKLOADS)}")
    peers = []
    for peer in arguments.against.split(","):
        if peer not in PEERS:
            parser.error(f"no peer {peer!r}; there are {', '.join(PEERS)}")
        if importlib.util.find_spec(peer) is None:
            print(f"{peer} is not installed and left out ({INSTALL.get(peer, f'pip install {peer}')})", file=sys.stderr)
        else:
            peers.append(peer)

    from benchmarks.table import markdown, save
    from benchmarks.timing import race

    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        workloads = module.workloads(peers)
        for workload in workloads:
            race(workload, arguments.rounds)
        table = markdown(workloads)
        versions = {library: importlib.metadata.version(library) for library in ("renga", *peers)}
        print(f"{module.SUMMARY}\n\n{table}\n")
        if set(peers) == set(PEERS):
            print(f"written to {os.path.relpath(save(name, table, versions))}")
        else:
            print("not written to benchmarks/results: a peer is left out")
    return 0


sys.exit(main())
