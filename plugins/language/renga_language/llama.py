"""A decoder like Llama."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable, no_backprop_mode
from renga_core.link import Chain, ChainList
from renga_language.block import Block
from renga_language.cache import Cache
from renga_language.sampling import sample
from renga_nn.functions.connection import linear
from renga_nn.functions.loss import linear_softmax_cross_entropy
from renga_nn.functions.normalization import rms_normalization
from renga_nn.initializers import Normal
from renga_nn.links.embed_id import EmbedID
from renga_nn.links.linear import Linear

__all__ = ["Llama"]


class Llama(Chain):
    """A decoder with RMS normalization, rotary positions, SwiGLU and grouped heads (Touvron et al. 2023).

    The network keeps no state between calls. To read a text in parts, pass a `Cache`.

    Args:
        n_out: Number of different tokens.
        n_units: Number of features per token.
        n_layers: Number of layers.
        n_heads: Number of query heads. It must divide `n_units`, with an even quotient.
        n_key_heads: Number of key and value heads. If None: `n_heads`.
        n_hidden: Number of hidden features of each SwiGLU. If None: ``8 / 3 * n_units``, rounded up to a multiple of
            32.
        context: Number of tokens per text in training. `generate` shortens a longer text to its latter half.
        tied: Use the embedding matrix also to compute the scores.
        base: Base of the angles of rotary positions.
        eps: Constant that the RMS normalizations add before the square root.

    Raises:
        ValueError: A number is less than 1, or the numbers of features and heads do not fit together.

    >>> import numpy as np
    >>> model = Llama(100, n_units=32, n_layers=2, n_heads=4, n_key_heads=2)
    >>> model(np.array([[3, 1, 4], [1, 5, 9]])).shape
    (6, 100)
    """

    def __init__(
        self,
        n_out: int,
        n_units: int = 256,
        n_layers: int = 6,
        n_heads: int = 8,
        n_key_heads: int | None = None,
        n_hidden: int | None = None,
        context: int = 256,
        tied: bool = True,
        base: float = 10000.0,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        n_key_heads = n_heads if n_key_heads is None else n_key_heads
        sizes = {"n_out": n_out, "n_units": n_units, "n_layers": n_layers, "n_heads": n_heads}
        for name, size in {**sizes, "n_key_heads": n_key_heads, "n_hidden": n_hidden, "context": context}.items():
            if size is not None and size < 1:
                raise ValueError(f"Llama: {name} must be at least 1, not {size}")
        if n_units % (2 * n_heads) or n_heads % n_key_heads:
            raise ValueError(
                f"Llama: n_units={n_units}, n_heads={n_heads}, n_key_heads={n_key_heads}; n_units must be a multiple "
                "of 2 * n_heads, and n_heads a multiple of n_key_heads"
            )
        n_hidden = -(-8 * n_units // 96) * 32 if n_hidden is None else n_hidden
        self.context = context
        self._eps = eps
        deviation = 0.02 * (2 * n_layers) ** -0.5
        with self.init_scope():
            self.tokens = EmbedID(n_out, n_units, Normal(0.02))
            self.blocks = ChainList(
                *[Block(n_units, n_heads, n_key_heads, n_hidden, deviation, base, eps) for _ in range(n_layers)]
            )
            self.norm = Parameter(1, (n_units,))
            self.head = None if tied else Linear(n_units, n_out, True, Normal(0.02))

    def forward(self, tokens: Any, cache: Cache | None = None) -> Variable:
        """Return the scores of the next token after each position.

        Args:
            tokens: Integers ``(N, T)``.
            cache: Keys and values of earlier tokens. The call appends the new ones.

        Returns:
            Variable ``(N * T, n_out)``, row by row.
        """
        return linear(self._features(tokens, cache), self._scoring)

    def loss(self, tokens: Any, targets: Any) -> Variable:
        """Return the mean cross entropy of the next tokens, without storing all scores at once.

        Args:
            tokens, targets: Integers ``(N, T)``. Targets of -1 are ignored.
        """
        return linear_softmax_cross_entropy(self._features(tokens, None), self._scoring, targets.reshape(-1))

    def generate(
        self,
        tokens: Sequence[int],
        number: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
    ) -> Iterator[int]:
        """Generate the tokens that follow a text, one at a time.

        Args:
            tokens: The text so far, at least one token.
            number: How many tokens to generate.
            temperature, top_k, top_p: See `renga_language.sampling.sample`.
            seed: Seed of the random numbers. If None, each call gives another result.

        Raises:
            TypeError: `tokens` is text.
            ValueError: An argument is out of range.
        """
        if any(isinstance(token, str) for token in tokens):
            raise TypeError(
                f"Llama.generate: tokens is text, {tokens[:20]!r}, not a list of numbers. "
                "Next: pass tokenizer.encode(text)"
            )
        text = [int(token) for token in tokens]
        if not text:
            raise ValueError("Llama.generate: tokens is empty. Next: begin with a token, such as the start token")
        generator = np.random.default_rng(seed)
        cache, new = Cache(0), text
        for _ in range(number):
            if cache.length + len(new) > cache.capacity:
                cache = Cache(self.context)
                # Pass the whole text if the context has room for one more token; else its latter half.
                new = text if len(text) < self.context else text[-max(1, self.context // 2) :]
            with no_backprop_mode(), using_config("train", False):
                features = self._features(self.device.send(np.array([new], np.int32)), cache)
                scores = to_host(linear(features[-1:], self._scoring).array)[0]
            token = sample(scores, generator, temperature, top_k, top_p)
            yield token
            text.append(token)
            new = [token]

    @property
    def _scoring(self) -> Parameter:
        return self.tokens.W if self.head is None else self.head.W

    def _features(self, tokens: Any, cache: Cache | None) -> Variable:
        """Return the normalized features of each token, ``(N * T, n_units)``."""
        x = self.tokens(tokens)
        for layer, block in enumerate(self.blocks):
            x = block(x, layer, cache)
        if cache is not None:
            cache.length += x.shape[1]
        return rms_normalization(x.reshape(-1, x.shape[2]), self.norm, self._eps)
