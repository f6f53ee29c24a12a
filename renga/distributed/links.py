"""Links that communicate: links of `renga_distributed.links` and of other plugins."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
