"""Hooks that watch functions, forward and backward: ``with TimerHook() as hook:``.

- `timer`: `TimerHook`, how long each takes. `printing`: `PrintHook`, what goes in. `profile`: `ProfileHook`, where time
  goes, as a table and as a trace file.

What they are made of: `renga_core.graph.FunctionHook`. Those for CUDA are in `renga_backend_cupy.profiling`.
"""

from renga_nn.function_hooks.printing import PrintHook
from renga_nn.function_hooks.profile import ProfileHook
from renga_nn.function_hooks.timer import TimerHook

__all__ = ["PrintHook", "ProfileHook", "TimerHook"]
