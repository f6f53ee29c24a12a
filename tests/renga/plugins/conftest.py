"""Fixtures: see `tests/support/plugin_site.py`."""

from plugin_site import offering, site

__all__ = ["offering", "site"]
