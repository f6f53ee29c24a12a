"""Differentiable functions of `renga_nn.functions`, which lists the groups, and of other plugins.

`import renga.functions as F`.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__)
