"""Files of other programs: what the network computes with them is what they say, or there is one sentence."""

import json
import os
import struct

import numpy as np
import pytest
from llama_reference import names_and_shapes, scores_of

from renga.language import Tokenizer, load_llama
from renga_core.errors import RengaError
from renga_core.serializers.errors import FileDamaged

TEXT = np.array([3, 1, 4, 1, 5])
CONFIG = {
    "vocab_size": 10,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 24,
    "rms_norm_eps": 1e-6,
    "rope_theta": 500.0,
    "max_position_embeddings": 64,
}


def tensors(tied, dtype=np.float32):
    rng = np.random.default_rng(0)
    shapes = names_and_shapes(10, 16, 2, 4, 2, 24, tied)
    return {name: rng.normal(0, 0.4, shape).astype(dtype) for name, shape in shapes.items()}


def scores(path):
    return load_llama(path)(TEXT[None]).array


# --- Hugging Face -----------------------------------------------------------------------------------------------------


def write_folder(folder, config, found):
    safetensors = pytest.importorskip("safetensors.numpy", reason="pip install 'renga[safetensors]'")
    (folder / "config.json").write_text(json.dumps(config))
    safetensors.save_file(found, folder / "model.safetensors")


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_folder(tmp_path, tied, dtype):
    found = tensors(tied, dtype)
    write_folder(tmp_path, {**CONFIG, "tie_word_embeddings": tied}, found)
    expected = scores_of(found, TEXT, 4, 2, base=500.0, eps=1e-6)
    np.testing.assert_allclose(scores(tmp_path), expected, rtol=2e-4, atol=2e-5)


def test_a_folder_in_bfloat16(tmp_path):
    pytest.importorskip("safetensors", reason="pip install 'renga[safetensors]'")
    found = {name: (x.view("<u4") >> 16).astype("<u2") for name, x in tensors(True).items()}
    (tmp_path / "config.json").write_text(json.dumps({**CONFIG, "tie_word_embeddings": True}))
    head, start = {}, 0
    for name, x in found.items():
        head[name] = {"dtype": "BF16", "shape": x.shape, "data_offsets": [start, start + x.nbytes]}
        start += x.nbytes
    text = json.dumps(head).encode()
    data = b"".join(x.tobytes() for x in found.values())
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    exact = {name: (x.astype("<u4") << 16).view("<f4") for name, x in found.items()}
    expected = scores_of(exact, TEXT, 4, 2, base=500.0, eps=1e-6)
    np.testing.assert_allclose(scores(tmp_path), expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("config", "error", "expected"),
    [
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8}}, RengaError, "rope_type = llama3.*Next: "),
        ({"attention_bias": True}, RengaError, "attention_bias = True"),
        ({"hidden_act": "gelu"}, RengaError, "hidden_act = gelu"),
        ({"head_dim": 8}, RengaError, "head_dim = 8"),
        ({"vocab_size": 11}, FileDamaged, r"model.embed_tokens.weight has shape \(10, 16\) instead of \(11, 16\)"),
        ({"num_hidden_layers": 10**15}, FileDamaged, "tensor model.layers.2"),
        ({"num_attention_heads": 16, "num_key_value_heads": 8}, FileDamaged, "n_heads=16, n_key_heads=8; n_units must"),
        ({"hidden_size": None}, FileDamaged, "config.json: damaged or not the configuration of a Llama"),
        ({"hidden_size": -16}, FileDamaged, "config.json.*hidden_size is -16"),
        ({"vocab_size": 10**15}, FileDamaged, "model.embed_tokens.weight has shape"),
    ],
)
def test_configurations_that_are_refused(tmp_path, config, error, expected):
    write_folder(tmp_path, {**CONFIG, "tie_word_embeddings": True, **config}, tensors(True))
    with pytest.raises(error, match=expected):
        load_llama(tmp_path)


def test_a_damaged_folder(tmp_path):
    write_folder(tmp_path, {**CONFIG, "tie_word_embeddings": True}, tensors(True))
    whole = (tmp_path / "model.safetensors").read_bytes()
    for part in (whole[:50], whole[:-4], b"", b"x" * 100):
        (tmp_path / "model.safetensors").write_bytes(part)
        with pytest.raises(FileDamaged, match=r"model\.safetensors"):
            load_llama(tmp_path)
    (tmp_path / "config.json").write_text("[1, 2")
    with pytest.raises(FileDamaged, match=r"config\.json"):
        load_llama(tmp_path)


# --- llama2.c ---------------------------------------------------------------------------------------------------------


def llama2c(found, tied):
    layers = [
        "input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
        "post_attention_layernorm", "mlp.gate_proj", "mlp.down_proj", "mlp.up_proj",
    ]  # fmt: skip
    order = ["model.embed_tokens.weight"]
    order += [f"model.layers.{i}.{name}.weight" for name in layers for i in range(2)]
    arrays = [found[name] for name in [*order, "model.norm.weight"]]
    arrays += [np.zeros((2, 7, 2), np.float32), *([] if tied else [found["lm_head.weight"]])]
    head = struct.pack("<7i", 16, 24, 2, 4, 2, 10 if tied else -10, 7)
    return head + b"".join(array.astype("<f4").tobytes() for array in arrays)


@pytest.mark.parametrize("tied", [True, False])
def test_a_file_of_llama2c(tmp_path, tied):
    found = tensors(tied)
    (tmp_path / "model.bin").write_bytes(llama2c(found, tied))
    expected = scores_of(found, TEXT, 4, 2, neighbours=True)
    np.testing.assert_allclose(scores(tmp_path / "model.bin"), expected, rtol=2e-4, atol=2e-5)
    assert load_llama(tmp_path / "model.bin").context == 7


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda data: data[:20], "shorter than its header"),
        (lambda data: data[:-4], "bytes instead of the"),
        (lambda data: data + b"0", "bytes instead of the"),
        (lambda data: struct.pack("<7i", 16, 24, 2, 0, 2, 10, 7) + data[28:], "header does not give the sizes"),
        (lambda data: struct.pack("<7i", 2**30, 24, 2, 4, 2, 10, 2**30) + data[28:], "bytes instead of the"),
        (lambda data: struct.pack("<7i", 16, 24, 2, 4, 3, 10, 7) + data[28:], "bytes instead of the"),
    ],
)
def test_damaged_files_of_llama2c(tmp_path, change, expected):
    (tmp_path / "model.bin").write_bytes(change(llama2c(tensors(True), True)))
    with pytest.raises(FileDamaged, match=expected):
        load_llama(tmp_path / "model.bin")


@pytest.mark.skipif("STORIES15M" not in os.environ, reason="STORIES15M names no folder with stories15M.bin")
def test_real_weights():
    """Those of llama2.c's stories: scores of a reference in float64, and the text that llama2.c writes."""
    folder = os.environ["STORIES15M"]
    tokenizer, model = Tokenizer.load(f"{folder}/tokenizer.bin"), load_llama(f"{folder}/stories15M.bin")
    data = np.fromfile(f"{folder}/stories15M.bin", "<f4", offset=28)
    found, start = {}, 0
    shapes = names_and_shapes(32000, 288, 6, 6, 6, 768, True)
    layers = [name.split(".", 3)[3] for name in shapes if name.startswith("model.layers.0.")]
    order = ["input", "q_proj", "k_proj", "v_proj", "o_proj", "post", "gate", "down", "up"]
    layers = [next(name for name in layers if part in name) for part in order]
    names = [f"model.layers.{i}.{name}" for name in layers for i in range(6)]
    for name in ["model.embed_tokens.weight", *names, "model.norm.weight"]:
        size = int(np.prod(shapes[name]))
        found[name], start = data[start : start + size].reshape(shapes[name]), start + size
    text = tokenizer.encode("Once upon a time").tolist()
    drawn = [*text, *model.generate(text, 20, temperature=0)]
    assert tokenizer.decode(drawn).startswith("Once upon a time, there was a little girl named Lily. She loved to play")
    expected = scores_of(found, drawn, 6, 6, neighbours=True)
    np.testing.assert_allclose(model(np.array([drawn])).array, expected, atol=2e-4)
