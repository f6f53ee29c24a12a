"""Runs a recorded step whose arithmetic on arrays is compiled to loops.

The compiler ``fused`` records a step as ``replay`` does. Then it analyses the lines of the program: consecutive
elementwise operations, broadcasts, views and sums, forward and backward, become one function, compiled by numba.
All other lines stay calls.

- `step`: `FusedStep`, the compiler.
- `formulas`: formulas of functions, as text. `statements`: the meaning of a line.
- `reader`: turns lines into statements. `arrays`: properties of arrays. `layouts`: memory layouts of views.
- `groups`: divides statements into functions. `worth`: estimates whether this saves time.
- `loops`: divides the statements of a group into loops. `stages`: the order of loops, and memory between them.
- `kernel_source`: the loops as Python for numba. `elementary`: exp, log, tanh and others, in a form that numba
  vectorizes.
- `compiling`: machine code, with a cache on disk. `kernel`: calls it from a program.
"""
