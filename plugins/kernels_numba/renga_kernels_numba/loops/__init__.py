"""Loops, written for numba. They are imported to be compiled, which `renga_kernels_numba.compiling` does."""
