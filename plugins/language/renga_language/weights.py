"""Loading weights of Llama that other programs trained."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.serializers.errors import FileDamaged
from renga_language.llama import Llama
from renga_serializers.optional import require

__all__ = ["load_llama"]

Tensors = Mapping[str, np.ndarray[Any, Any]]
"""Names of the weights in files of Hugging Face."""

_KIND = "the weights of a Llama"
_LLAMA2C = "a file of llama2.c"

_SIZES = {
    "n_out": "vocab_size",
    "n_units": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_key_heads": "num_key_value_heads",
    "n_hidden": "intermediate_size",
    "context": "max_position_embeddings",
}
"""Arguments of `Llama` and their names in ``config.json``."""

_DEFAULTS = {"hidden_act": "silu", "attention_bias": False, "mlp_bias": False}
"""Settings that `Llama` implements. A file with other settings is refused."""


def load_llama(path: str | os.PathLike[str]) -> Llama:
    """Create a `Llama` from a file of weights. It downloads nothing and runs no code.

    Args:
        path: A folder in the layout of Hugging Face, with ``config.json`` and ``model.safetensors`` (float32, float16
            or bfloat16; all become float32); or a file of llama2.c, ``.bin``, of its first version.

    Raises:
        RengaError: The model has parts that `Llama` lacks, or safetensors is not installed.
        FileDamaged: A file is truncated or has another format.
        OSError: A file cannot be read.
    """
    path = Path(path)
    arguments, tensors = _read_folder(path) if path.is_dir() else _read_llama2c(path)
    for name, shape in _shapes(arguments):
        if name not in tensors:
            raise FileDamaged(os.fspath(path), f"the tensor {name} is missing", _KIND)
        if tensors[name].shape != shape:
            reason = f"{name} has shape {tensors[name].shape} instead of {shape}"
            raise FileDamaged(os.fspath(path), reason, _KIND)
    # Memory is allocated only now, for no more than the file contains.
    try:
        model = Llama(**arguments)
    except ValueError as error:
        raise FileDamaged(os.fspath(path), str(error), _KIND) from error
    _fill(model, tensors)
    return model


def _shapes(arguments: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield name and shape of all tensors of a model with these arguments."""
    tokens, units, hidden = (arguments[name] for name in ("n_out", "n_units", "n_hidden"))
    keys = units // arguments["n_heads"] * arguments["n_key_heads"]
    yield "model.embed_tokens.weight", (tokens, units)
    yield "model.norm.weight", (units,)
    if not arguments["tied"]:
        yield "lm_head.weight", (tokens, units)
    shapes = {
        "input_layernorm": (units,),
        "post_attention_layernorm": (units,),
        "self_attn.q_proj": (units, units),
        "self_attn.k_proj": (keys, units),
        "self_attn.v_proj": (keys, units),
        "self_attn.o_proj": (units, units),
        "mlp.gate_proj": (hidden, units),
        "mlp.up_proj": (hidden, units),
        "mlp.down_proj": (units, hidden),
    }
    for i in range(arguments["n_layers"]):
        for name, shape in shapes.items():
            yield f"model.layers.{i}.{name}.weight", shape


def _fill(model: Llama, tensors: Tensors) -> None:
    def put(parameter: Any, *names: str) -> None:
        parameter.array = np.concatenate([np.asarray(tensors[name], np.float32) for name in names])

    put(model.tokens.W, "model.embed_tokens.weight")
    put(model.norm, "model.norm.weight")
    if model.head is not None:
        put(model.head.W, "lm_head.weight")
    for i, block in enumerate(model.blocks):
        start = f"model.layers.{i}."
        put(block.norm1, start + "input_layernorm.weight")
        put(block.norm2, start + "post_attention_layernorm.weight")
        put(block.qkv.W, *(f"{start}self_attn.{part}_proj.weight" for part in "qkv"))
        put(block.out.W, start + "self_attn.o_proj.weight")
        put(block.gate_up.W, *(f"{start}mlp.{part}_proj.weight" for part in ("gate", "up")))
        put(block.down.W, start + "mlp.down_proj.weight")


# --- Hugging Face -----------------------------------------------------------------------------------------------------


def _read_folder(folder: Path) -> tuple[dict[str, Any], Tensors]:
    require("safetensors", "load_llama", "safetensors")
    name = folder / "config.json"
    try:
        config = json.loads(name.read_text(encoding="utf-8"))
        asked = (*_SIZES.values(), "rms_norm_eps")
        if missing := [key for key in asked if key not in config and key != "num_key_value_heads"]:
            raise ValueError(f"it lacks {', '.join(missing)}")
        arguments: dict[str, Any] = {ours: int(config[theirs]) for ours, theirs in _SIZES.items() if theirs in config}
        arguments |= {"eps": float(config["rms_norm_eps"]), "tied": bool(config.get("tie_word_embeddings", False))}
        scaling = config.get("rope_scaling") or config.get("rope_parameters") or {}
        arguments["base"] = float(scaling.get("rope_theta", config.get("rope_theta", 10000.0)))
        arguments.setdefault("n_key_heads", arguments["n_heads"])
        differing = {key: config.get(key, value) for key, value in _DEFAULTS.items() if config.get(key, value) != value}
        if scaling.get("rope_type", scaling.get("type", "default")) != "default":
            differing["rope_type"] = scaling.get("rope_type", scaling.get("type"))
        for ours, theirs in _SIZES.items():
            if arguments[ours] < 1:
                raise ValueError(f"{theirs} is {arguments[ours]}")
        size = arguments["n_units"] // arguments["n_heads"]
        if config.get("head_dim") not in (None, size):
            differing["head_dim"] = config["head_dim"]
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise FileDamaged(os.fspath(name), str(error), "the configuration of a Llama") from error
    if differing:
        said = ", ".join(f"{key} = {value}" for key, value in differing.items())
        raise RengaError(f"{name} has the setting {said}, which Llama does not support. Next: use a model without it.")
    return arguments, _read_safetensors(folder / "model.safetensors")


def _read_safetensors(path: Path) -> Tensors:
    """Read the tensors of a file. bfloat16, which NumPy lacks, becomes float32."""
    from safetensors import SafetensorError, deserialize

    try:
        found = dict(deserialize(path.read_bytes()))  # type: ignore[no-untyped-call]
        return {name: _array(**one) for name, one in found.items()}
    except (SafetensorError, KeyError) as error:
        raise FileDamaged(os.fspath(path), str(error), "a safetensors file") from error


def _array(dtype: str, shape: list[int], data: bytes) -> np.ndarray[Any, Any]:
    if dtype == "BF16":
        halves = np.frombuffer(data, "<u2").astype("<u4") << 16
        return halves.view("<f4").reshape(shape)
    return np.frombuffer(data, {"F16": "<f2", "F32": "<f4", "F64": "<f8"}[dtype]).reshape(shape)


# --- llama2.c ---------------------------------------------------------------------------------------------------------


def _read_llama2c(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Seven integers, then float32 arrays one after another (``run.c``, ``memory_map_weights``)."""
    data = path.read_bytes()
    if len(data) < 28:
        raise FileDamaged(os.fspath(path), "it is shorter than its header", _LLAMA2C)
    units, hidden, layers, heads, key_heads, signed, context = (int(n) for n in np.frombuffer(data, "<i4", 7))
    tokens, tied = abs(signed), signed > 0  # negative: the output layer has its own weights
    if min(units, hidden, layers, heads, key_heads, tokens, context) < 1 or units % heads:
        raise FileDamaged(os.fspath(path), "its header does not give the sizes of a Llama", _LLAMA2C)
    size = units // heads
    shapes = {
        "model.embed_tokens": (tokens, units),
        "layers.input_layernorm": (layers, units),
        "layers.self_attn.q_proj": (layers, heads * size, units),
        "layers.self_attn.k_proj": (layers, key_heads * size, units),
        "layers.self_attn.v_proj": (layers, key_heads * size, units),
        "layers.self_attn.o_proj": (layers, units, units),
        "layers.post_attention_layernorm": (layers, units),
        "layers.mlp.gate_proj": (layers, hidden, units),
        "layers.mlp.down_proj": (layers, units, hidden),
        "layers.mlp.up_proj": (layers, hidden, units),
        "model.norm": (units,),
        "cosines and sines": (2, context, size // 2),
        **({} if tied else {"lm_head": (tokens, units)}),
    }
    expected = 28 + 4 * sum(map(prod, shapes.values()))
    if len(data) != expected:
        raise FileDamaged(os.fspath(path), f"{len(data)} bytes instead of the {expected} of its header", _LLAMA2C)
    tensors: dict[str, np.ndarray[Any, Any]] = {}
    start = 28
    for name, shape in shapes.items():
        array = np.frombuffer(data, "<f4", prod(shape), start).reshape(shape)
        start += array.nbytes
        if not name.startswith("layers."):
            tensors[f"{name}.weight"] = array
            continue
        place = name.removeprefix("layers.")
        for i, part in enumerate(array):
            turned = place.endswith(("q_proj", "k_proj"))
            tensors[f"model.layers.{i}.{place}.weight"] = _halves(part, size) if turned else part
    arguments = {
        "n_out": tokens,
        "n_units": units,
        "n_layers": layers,
        "n_heads": heads,
        "n_key_heads": key_heads,
        "n_hidden": hidden,
        "context": context,
        "tied": tied,
    }
    return arguments, tensors


def _halves(weights: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    """Reorder the rows of rotary pairs: neighbouring features become pairs of a first and a second half."""
    rows, units = weights.shape
    return weights.reshape(rows // size, size // 2, 2, units).swapaxes(1, 2).reshape(rows, units)
