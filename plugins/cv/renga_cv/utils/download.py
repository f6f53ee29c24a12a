"""`cached_download`, under the name that ChainerCV uses."""

from renga_data.datasets.cached import cached_download

__all__ = ["cached_download"]
