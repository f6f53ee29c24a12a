"""`cached_download`, which ChainerCV has among its utilities: that of Renga's data sets."""

from renga_data.datasets.cached import cached_download

__all__ = ["cached_download"]
