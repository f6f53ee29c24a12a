"""Hooks around functions: `renga_nn.function_hooks`, and `renga_backend_cupy.profiling` for CUDA."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
