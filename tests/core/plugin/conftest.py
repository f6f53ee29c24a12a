"""Fixtures: see `tests/support/plugin_site.py`."""

from plugin_site import good, offering, site

__all__ = ["good", "offering", "site"]
