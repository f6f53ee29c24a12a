"""Hooks around functions, forward and backward: ``with TimerHook() as hook:``.

- `timer`: `TimerHook`, measures functions. `printing`: `PrintHook`, prints inputs. `profile`: `ProfileHook`, makes a
  profile as a table or a trace file.

The base class is `renga_core.graph.FunctionHook`. Hooks for CUDA are in `renga_backend_cupy.profiling`.
"""

from renga_nn.function_hooks.printing import PrintHook
from renga_nn.function_hooks.profile import ProfileHook
from renga_nn.function_hooks.timer import TimerHook

__all__ = ["PrintHook", "ProfileHook", "TimerHook"]
