"""Llama against a reference in float64, token by token."""

import llama_reference
import numpy as np
import pytest

from renga.language import Cache, Llama, sample
from renga_core import random

SIZES = {"n_units": 16, "n_layers": 2, "n_heads": 4, "n_key_heads": 2, "n_hidden": 24, "context": 12}
TOKENS = np.random.default_rng(0).integers(0, 30, (2, 9))


def model_of(tied=True, **more):
    random.seed(0)
    model = Llama(30, **SIZES, tied=tied, **more)
    for parameter in model.params():  # larger than initial ones, so that nothing is nearly linear
        parameter.array += 0.3 * np.random.default_rng(1).normal(size=parameter.shape).astype(np.float32)
    return model


def scores_of(model, text):
    """Of the reference."""
    tensors = {"model.embed_tokens.weight": model.tokens.W.array, "model.norm.weight": model.norm.array}
    for i, block in enumerate(model.blocks):
        parts = dict(zip("qkv", np.split(block.qkv.W.array, [16, 24]), strict=True))
        layer = {f"self_attn.{part}_proj": array for part, array in parts.items()}
        layer |= dict(zip(("mlp.gate_proj", "mlp.up_proj"), np.split(block.gate_up.W.array, 2), strict=True))
        layer |= {"self_attn.o_proj": block.out.W.array, "mlp.down_proj": block.down.W.array}
        layer |= {"input_layernorm": block.norm1.array, "post_attention_layernorm": block.norm2.array}
        tensors |= {f"model.layers.{i}.{name}.weight": array for name, array in layer.items()}
    if model.head is not None:
        tensors["lm_head.weight"] = model.head.W.array
    return llama_reference.scores_of(tensors, text, 4, 2)


@pytest.mark.parametrize("tied", [True, False])
def test_scores_are_those_of_a_reference(tied):
    model = model_of(tied)
    scores = model(TOKENS).array.reshape(2, 9, 30)
    for text, found in zip(TOKENS, scores, strict=True):
        np.testing.assert_allclose(found, scores_of(model, text), rtol=2e-4, atol=2e-5)


def test_a_text_that_is_read_in_parts():
    """One token, several, one: as at once, whoever computes."""
    model, cache = model_of(), Cache(9)
    whole = model(TOKENS).array.reshape(2, 9, 30)
    start = 0
    for length in (1, 3, 1, 4):
        part = model(TOKENS[:, start : start + length], cache).array.reshape(2, length, 30)
        np.testing.assert_allclose(part, whole[:, start : start + length], rtol=1e-4, atol=1e-5)
        start += length
    assert cache.length == 9
    with pytest.raises(ValueError, match="10 tokens do not fit into a cache for 9"):
        model(TOKENS[:, :1], cache)


def test_the_loss_and_its_gradients():
    """As of all scores at once; the token -1 does not count."""
    model = model_of()
    targets = np.where(TOKENS < 5, -1, TOKENS)
    loss = model.loss(TOKENS, targets)
    scores = np.concatenate([scores_of(model, text) for text in TOKENS])
    p = np.exp(scores - scores.max(1, keepdims=True))
    counted = targets.ravel() != -1
    expected = -np.log(p / p.sum(1, keepdims=True))[np.arange(18), targets.ravel()][counted].mean()
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    for parameter in model.params():
        parameter.array = parameter.array.astype(np.float64)
    model.loss(TOKENS, targets).backward()
    for name, parameter in model.namedparams():
        direction = np.random.default_rng(2).normal(size=parameter.shape)
        losses = []
        for step in (1e-6, -1e-6):
            parameter.array += step * direction
            losses.append(model.loss(TOKENS, targets).item())
            parameter.array -= step * direction
        numeric = (losses[0] - losses[1]) / 2e-6
        assert (parameter.grad * direction).sum() == pytest.approx(numeric, rel=1e-5, abs=1e-7), name


def test_what_is_generated():
    """The likeliest tokens are those of the reference; drawn ones depend on the seed alone."""
    model = model_of()
    text = list(TOKENS[0, :3])
    for token in model.generate(TOKENS[0, :3], 6, temperature=0):
        assert token == scores_of(model, text)[-1].argmax()
        text.append(token)
    drawn = [list(model.generate(TOKENS[0, :3], 6, top_k=20, top_p=0.9, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_more_tokens_than_the_context():
    """The latter half is read again: then the next tokens are those after it."""
    model = model_of()
    tokens = list(model.generate(TOKENS[0], 8, temperature=0))
    text = [*TOKENS[0], *tokens]
    assert len(text) == 17 > model.context
    # The cache was full after 12 tokens; six of them were read again, before the 14th.
    assert tokens[4] == scores_of(model, text[7:13])[-1].argmax()
    assert len(list(model.generate(np.arange(20), 3))) == 3


def test_what_is_refused():
    with pytest.raises(ValueError, match="n_units=16, n_heads=3, n_key_heads=3"):
        Llama(30, n_units=16, n_heads=3)
    for name in "n_units", "n_layers", "n_heads", "n_key_heads", "n_hidden", "context":
        with pytest.raises(ValueError, match=f"Llama: {name} must be at least 1, not 0"):
            Llama(30, **{name: 0})  # type: ignore[arg-type]  # one parameter, `tied`, is no number
    with pytest.raises(ValueError, match="begin with a token"):
        next(model_of().generate([], 3))
    with pytest.raises(TypeError, match=r"text, 'Once', not a list of numbers\. Next: pass tokenizer\.encode"):
        next(model_of().generate("Once", 3))
    for wrong in ({"temperature": -1}, {"top_k": 0}, {"top_p": 0}):
        with pytest.raises(ValueError, match="they must be at least 0"):
            sample(np.zeros(3), np.random.default_rng(0), **wrong)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [0.1, 0.2, 0.3, 0.4]),
        ({"temperature": 0.5}, np.array([1, 4, 9, 16]) / 30),
        ({"top_k": 2}, [0, 0, 3 / 7, 4 / 7]),
        ({"top_p": 0.6}, [0, 0, 3 / 7, 4 / 7]),
        ({"top_p": 0.4}, [0, 0, 0, 1]),
        ({"top_k": 3, "top_p": 0.5}, [0, 0, 3 / 7, 4 / 7]),
        ({"temperature": 0}, [0, 0, 0, 1]),
    ],
)
def test_tokens_are_drawn_by_their_probabilities(more, expected):
    generator = np.random.default_rng(0)
    scores = np.log([0.1, 0.2, 0.3, 0.4]) + 7
    drawn = np.bincount([sample(scores, generator, **more) for _ in range(4000)], minlength=4) / 4000
    np.testing.assert_allclose(drawn, expected, atol=0.03)
    assert not drawn[np.array(expected) == 0].any()
