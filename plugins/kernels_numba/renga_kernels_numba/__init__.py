"""Kernels of the NumPy backend, as loops that numba compiles for this processor; `pip install 'renga[numba]'`.

How a kernel is made, for example softmax:

1. `loops/softmax.py` has the loop: a function decorated with `loop` from `loops/intrinsics.py`. Its first argument is
   the number of a piece of the work; then follow pointers, which are indexed like lists, and numbers (int64, float64).
   A piece is small enough for a cache. It must not depend on later pieces: threads take pieces in order. If it needs
   an earlier one, it waits for that (`loops/waiting.py`). Which piece covers what must depend on shapes only, and sums
   over pieces are added in a fixed order: so the bits of the result do not depend on the number of threads. Only files
   in `loops/` import numba.
2. `softmax.py` has the kernel. ``_FORWARD = Loop("softmax:forward", "f4* f4* i8 i8")`` gives the loop and the types of
   its arguments after the piece. ``_FORWARD(pieces, address(x), address(y), rows, classes)`` runs it; up to ``alone``
   pieces run in the calling thread. Next to it are `supports`, and the classes with `forward` and `backward`.
3. `plugin.py` has one line for each kernel.

A loop must not raise, print, or create arrays: it runs without Python. The caller passes scratch space as a pointer.
The compiler refuses a loop that needs Python. An integer divided by zero gives 0.

Files:

- `loop`: `Loop`. `compiling`: compiles a loop to machine code. `disk`: cache of machine code. `object_file`: loads it.
  `processor`: what it was compiled for. `threads`: shares pieces among threads. `availability`: the probe.
- `in_advance`: compiles all loops before their use; ``python -m renga_kernels_numba`` calls it.

numba (500 ms, 100 MB) is imported only to compile. On Linux with x86-64, loading needs neither numba nor llvmlite
(70 ms, 80 MB); elsewhere it needs llvmlite.
"""
