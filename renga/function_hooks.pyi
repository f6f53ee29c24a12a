# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_backend_cupy.profiling import CUDAProfileHook as CUDAProfileHook
from renga_backend_cupy.profiling import CupyMemoryProfileHook as CupyMemoryProfileHook
from renga_nn.function_hooks.printing import PrintHook as PrintHook
from renga_nn.function_hooks.profile import ProfileHook as ProfileHook
from renga_nn.function_hooks.timer import TimerHook as TimerHook

__all__ = [
    "CUDAProfileHook",
    "CupyMemoryProfileHook",
    "PrintHook",
    "ProfileHook",
    "TimerHook",
]
