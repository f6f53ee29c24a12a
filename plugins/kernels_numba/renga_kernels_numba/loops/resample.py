"""Multiplies an axis of an array ``(before, length, after)`` by a sparse matrix, to resize images.

The matrix has `entries` numbers in each of its rows: ``columns`` and ``weights``, ``(entries, rows)``.
"""

from __future__ import annotations

from renga_kernels_numba.loops.intrinsics import Floats, Longs, loop

__all__ = ["chosen_rows", "last_axis", "other_axis", "pixels"]


@loop
def other_axis(
    piece: int,
    x: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    entries: int,
    length: int,
    rows: int,
    after: int,
    total: int,
    size: int,
) -> None:
    """Sum whole rows of `after` numbers.

    Args:
        piece: Which `size` of the rows of the result.
        x: ``(before, length, after)``.
        columns, weights: The matrix.
        y: ``(before, rows, after)``.
        entries, length, rows, after: Sizes.
        total, size: ``before * rows``, and how many of these are a piece.
    """
    for place in range(piece * size, min(total, (piece + 1) * size)):
        block = place // rows
        row = place - block * rows
        at = place * after
        weight, start = weights[row], (block * length + columns[row]) * after
        for i in range(after):
            y[at + i] = weight * x[start + i]
        for entry in range(1, entries):
            weight = weights[entry * rows + row]
            start = (block * length + columns[entry * rows + row]) * after
            for i in range(after):
                y[at + i] += weight * x[start + i]


@loop
def last_axis(
    piece: int,
    x: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    entries: int,
    length: int,
    rows: int,
    total: int,
    size: int,
) -> None:
    """The same with ``after = 1``: `total` rows ``(length,)`` of x, `size` of them a piece."""
    for block in range(piece * size, min(total, (piece + 1) * size)):
        at, start = block * rows, block * length
        for row in range(rows):
            y[at + row] = weights[row] * x[start + columns[row]]
        for entry in range(1, entries):
            first = entry * rows
            for row in range(rows):
                y[at + row] += weights[first + row] * x[start + columns[first + row]]


@loop
def pixels(
    piece: int,
    x: Floats,
    row_columns: Longs,
    row_weights: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    row_entries: int,
    height: int,
    rows: int,
    entries: int,
    width: int,
    wide: int,
    after: int,
    total: int,
    size: int,
) -> None:
    """Two neighbouring axes at once: sum whole pixels of `after` numbers.

    Args:
        piece: Which `size` of the rows of the result.
        x: ``(before, height, width, after)``.
        row_columns, row_weights: The matrix of the first of the two axes.
        columns, weights: The matrix of the second.
        y: ``(before, rows, wide, after)``.
        row_entries, height, rows: Sizes of the first matrix.
        entries, width, wide: Sizes of the second.
        after: Numbers in a pixel.
        total, size: ``before * rows``, and how many of these are a piece.
    """
    for place in range(piece * size, min(total, (piece + 1) * size)):
        block = place // rows
        row = place - block * rows
        top, top_weight = (block * height + row_columns[row]) * width, row_weights[row]
        for column in range(wide):
            at = (place * wide + column) * after
            if row_entries == 2 and entries == 2:  # bilinear, in one pass over the pixel
                low, low_weight = (block * height + row_columns[rows + row]) * width, row_weights[rows + row]
                left, right = columns[column], columns[wide + column]
                left_weight, right_weight = weights[column], weights[wide + column]
                start0, start1 = (top + left) * after, (top + right) * after
                start2, start3 = (low + left) * after, (low + right) * after
                weight0, weight1 = top_weight * left_weight, top_weight * right_weight
                weight2, weight3 = low_weight * left_weight, low_weight * right_weight
                for i in range(after):
                    upper = weight0 * x[start0 + i] + weight1 * x[start1 + i]
                    y[at + i] = upper + weight2 * x[start2 + i] + weight3 * x[start3 + i]
                continue
            weight, start = top_weight * weights[column], (top + columns[column]) * after
            for i in range(after):
                y[at + i] = weight * x[start + i]
            for summand in range(1, row_entries * entries):
                row_entry = summand // entries
                entry = summand - row_entry * entries
                weight = row_weights[row_entry * rows + row] * weights[entry * wide + column]
                pixel = (block * height + row_columns[row_entry * rows + row]) * width + columns[entry * wide + column]
                for i in range(after):
                    y[at + i] += weight * x[pixel * after + i]


@loop
def chosen_rows(
    piece: int,
    x: Floats,
    row_columns: Longs,
    row_weights: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    height: int,
    rows: int,
    entries: int,
    width: int,
    wide: int,
    total: int,
    size: int,
) -> None:
    """The same with ``after = 1`` and ``row_entries = 1``: sums of elements of one row of x for each row of the
    result."""
    for place in range(piece * size, min(total, (piece + 1) * size)):
        block = place // rows
        row = place - block * rows
        at, start, row_weight = place * wide, (block * height + row_columns[row]) * width, row_weights[row]
        for column in range(wide):
            y[at + column] = row_weight * weights[column] * x[start + columns[column]]
        for entry in range(1, entries):
            for column in range(wide):
                other = entry * wide + column
                y[at + column] += row_weight * weights[other] * x[start + columns[other]]
