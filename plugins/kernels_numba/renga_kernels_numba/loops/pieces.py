"""Sizes of pieces, shared by kernels and loops. Imports nothing, so that kernels can import it."""

__all__ = ["CELLS", "CHANNELS", "DROPOUT_STEPS", "ELEMENTS", "LANES"]

ELEMENTS = 1 << 15
"""Elements of a piece of an elementwise loop: 128 KiB of each array."""

CHANNELS = 64
"""Channels of a piece of a loop that merges what was summed by blocks."""

DROPOUT_STEPS = 1 << 14
"""Steps of the random generator in a piece of dropout; each serves two elements."""

CELLS = 1 << 13
"""Units of a piece of a recurrent step."""

LANES = 16
"""Numbers in a vector of AVX-512, and units of a piece of a recurrent layer."""
