"""Switching graph building off and on."""

from __future__ import annotations

from renga_core.configuration import using_config

__all__ = ["force_backprop_mode", "no_backprop_mode"]


def no_backprop_mode() -> using_config:
    """Build no graph while a ``with`` block runs: functions keep nothing for backward."""
    return using_config("enable_backprop", False)


def force_backprop_mode() -> using_config:
    """Build graphs while a ``with`` block runs, even inside a `no_backprop_mode` block."""
    return using_config("enable_backprop", True)
