"""Checks whether NCCL can be used."""

from __future__ import annotations

__all__ = ["why_no_nccl"]


def why_no_nccl() -> str | None:
    """Return None, or the reason: CuPy finds no GPU, or libnccl is missing."""
    from renga_comm_nccl.calls import NcclError, nccl
    from renga_comm_nccl.library import LibraryMissing
    from renga_core.kinds import ARRAY_BACKEND
    from renga_core.plugin import RengaPluginError, State, registry

    try:
        status = registry(ARRAY_BACKEND).get("cupy").probe()
    except RengaPluginError as error:
        return f"GPU arrays cannot be used: {error.reason}"
    if status.state is not State.READY:
        return f"GPU arrays cannot be used: {status.reason}"
    try:
        nccl()
    except (LibraryMissing, NcclError) as error:
        return str(error)
    return None
