"""Fuse: a recorded step whose arithmetic on arrays runs as compiled loops.

The compiler ``fused`` records a step as ``replay`` does. Then it looks at the lines of the program: consecutive
operations element by element, broadcasts, views and sums, forward and backward, become one function, compiled by numba.
All else stays a call.

- `step`: `FusedStep`, the compiler.
- `formulas`: what functions compute, as text. `statements`: what a line of a program does.
- `reader`: from lines to statements. `arrays`: what it knows of arrays. `layouts`: where the elements of views lie.
- `groups`: which statements become one function. `worth`: whether that pays.
- `loops`: which statements of a group share a loop. `stages`: the order of loops, and memory between them.
- `kernel_source`: the loops as Python for numba. `elementary`: exp, log, tanh and others, as numba vectorizes them.
- `compiling`: machine code, kept on disk. `kernel`: how a program calls it.
"""
