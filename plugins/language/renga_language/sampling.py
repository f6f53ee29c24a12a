"""Choosing the next token."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["sample"]


def sample(
    scores: np.ndarray[Any, Any],
    generator: np.random.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> int:
    """Draw a token at random by its score.

    Args:
        scores: Scores of all tokens, ``(tokens,)``, in host memory.
        generator: Random generator; each call draws one number from it.
        temperature: Divides the scores. Values below 1 favour likely tokens; 0 always takes the likeliest.
        top_k: Draw only among this many of the likeliest tokens (Fan et al. 2018, section 5.1).
        top_p: Draw only among the likeliest tokens whose probabilities add up to this (Holtzman et al. 2020, section
            3.1).
            Applied after `top_k`.

    Raises:
        ValueError: An argument is out of range.

    >>> sample(np.array([0.0, 5.0, 1.0]), np.random.default_rng(0), temperature=0)
    1
    """
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError(
            f"sample: temperature is {temperature}, top_k {top_k}, top_p {top_p}; they must be at least 0, at least 1, "
            "and in (0, 1]"
        )
    drawn = generator.random()
    if temperature == 0:
        return int(scores.argmax())
    scores = scores.astype(np.float64)
    order = np.arange(len(scores))
    if top_k is not None and top_k < len(scores):
        order = np.argpartition(scores, -top_k)[-top_k:]
    p = np.exp((scores[order] - scores[order].max()) / temperature)
    p /= p.sum()
    if top_p is not None and top_p < 1:
        # Tokens less likely than this cannot be among the chosen ones, so they need no sorting.
        some = p >= (1 - top_p) / len(p)
        order, p = order[some], p[some]
        likeliest = np.argsort(-p, kind="stable")
        # The token that reaches the sum is included.
        number = int(np.searchsorted(p[likeliest].cumsum(), top_p)) + 1
        order, p = order[likeliest[:number]], p[likeliest[:number]]
    total = p.cumsum()
    return int(order[min(np.searchsorted(total, drawn * total[-1], side="right"), len(order) - 1)])
