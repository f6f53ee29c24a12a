"""Two hosts on one machine: network namespaces, joined by a veth pair whose rate `tc` limits in both directions."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

__all__ = ["HOSTS", "limit", "on_two_hosts", "two_hosts", "why_not"]

HOSTS = ("renga-bench-0", "renga-bench-1")
_DEVICE = "cable"
_NEEDED = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux"}
_AGENT = """#!/bin/sh
# mpiexec calls this like ssh, with a host and a command for it.
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
"""


def why_not() -> str | None:
    """The reason why this machine cannot create hosts; None if it can."""
    if sys.platform != "linux":
        return "network namespaces need Linux"
    if os.geteuid() != 0:
        return "creating network namespaces and limiting their traffic needs root: run it with sudo, or as root"
    missing = [
        f"{name} (Debian's package {package})" for name, package in _NEEDED.items() if shutil.which(name) is None
    ]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextmanager
def two_hosts() -> Iterator[None]:
    """Create `HOSTS` for a ``with`` block; remove hosts of an earlier run first."""
    with ExitStack() as stack:
        for host in HOSTS:
            _remove(host)
            _do("ip", "netns", "add", host)
            stack.callback(_remove, host)
        first, second = HOSTS
        _do("ip", "link", "add", _DEVICE, "netns", first, "type", "veth", "peer", "name", _DEVICE, "netns", second)
        names = ["127.0.0.1 localhost", *(f"{_address(i)} {host}" for i, host in enumerate(HOSTS))]
        for i, host in enumerate(HOSTS):
            _do("ip", "-n", host, "address", "add", f"{_address(i)}/24", "dev", _DEVICE)
            for device in ("lo", _DEVICE):
                _do("ip", "-n", host, "link", "set", device, "up")
            # `ip netns exec` shows these files at /etc.
            folder = Path("/etc/netns", host)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "hosts").write_text("\n".join(names) + "\n")
        yield


def limit(rate: str | None) -> None:
    """Set the rate of the cable in each direction, such as ``200mbit``; None: unlimited."""
    for host in HOSTS:
        there = subprocess.run(
            ["tc", "-n", host, "qdisc", "show", "dev", _DEVICE, "root"], capture_output=True, text=True, check=True
        )
        if "tbf" in there.stdout:
            _do("tc", "-n", host, "qdisc", "delete", "dev", _DEVICE, "root")
        if rate is not None:
            shape = ("tbf", "rate", rate, "burst", "256kb", "latency", "20ms")
            _do("tc", "-n", host, "qdisc", "add", "dev", _DEVICE, "root", *shape)


def on_two_hosts(mpiexec: str, command: Sequence[str], environment: dict[str, str], timeout: float) -> str:
    """Run a command as two ranks, one on each host, over TCP; return their output.

    Raises:
        RuntimeError: It fails, or takes longer than `timeout` seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        agent = Path(folder, "agent")
        agent.write_text(_AGENT)
        agent.chmod(0o755)
        hosts = ",".join(f"{host}:1" for host in HOSTS)
        # Each host would bind its rank to its first core, which is the same core for both. Also, spinning ranks keep
        # both cores busy: the kernel's work on the cable would wait for the next tick, 4 ms.
        options = ["--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        launch = [mpiexec, *options, "--host", hosts, "--prtemca", "plm_ssh_agent", str(agent), "-n", "2"]
        launch += [part for name in environment for part in ("-x", name)]
        inside = f"hostname {HOSTS[0]}; {shlex.join([*launch, *command])}"
        whole = ["ip", "netns", "exec", HOSTS[0], "unshare", "--uts", "sh", "-c", inside]
        try:
            ended = subprocess.run(
                whole, capture_output=True, text=True, timeout=timeout, env=os.environ | environment, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"no end after {timeout:g} s: {shlex.join(command)}") from error
    if ended.returncode != 0:
        raise RuntimeError(f"status {ended.returncode}: {shlex.join(command)}\n{ended.stderr}")
    return ended.stdout


def _address(number: int) -> str:
    return f"10.77.0.{number + 1}"


def _remove(host: str) -> None:
    subprocess.run(["ip", "netns", "delete", host], capture_output=True, check=False)
    shutil.rmtree(Path("/etc/netns", host), ignore_errors=True)


def _do(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
