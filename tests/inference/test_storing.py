"""Frozen models in files."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from inference_models import Encoder, Recurrent, Residual, images, settled, words

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError
from renga_core.serializers.errors import FileDamaged
from renga_serializers.archive import open_archive, write_archive


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("frozen") / "model.npz"
    renga.inference(settled(Residual()), images(2)).save(path)
    return path


@pytest.mark.parametrize(("make", "batch_of"), [(Residual, images), (Encoder, words), (Recurrent, words)])
def test_what_is_loaded_computes_the_same_bits(make, batch_of, tmp_path):
    frozen = renga.inference(settled(make()), batch_of(2))
    frozen.save(tmp_path / "model.npz")
    loaded = renga.load_inference(tmp_path / "model.npz")
    for batch in (2, 5):
        found, expected = [_flat(each(batch_of(batch))) for each in (loaded, frozen)]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    assert loaded.tolerance == frozen.tolerance
    loaded.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "model.npz").read_bytes()


@pytest.mark.parametrize("kind", ["NStepLSTM", "NStepBiLSTM", "NStepGRU", "NStepRNNTanh", "NStepRNNReLU"])
def test_recurrent_layers(kind, tmp_path):
    layer = getattr(L, kind)(2, 4, 3, 0.1)
    states = [None] * (2 if "LSTM" in kind else 1)

    def model(x):
        return layer(*states, [x[0], x[1]])[-1]

    x = np.linspace(-2, 2, 40, dtype=np.float32).reshape(2, 5, 4)
    with renga.using_config("train", False):
        frozen = renga.inference(model, x)
    frozen.save(tmp_path / "model.npz")
    loaded = renga.load_inference(tmp_path / "model.npz")
    for found, expected in zip(_flat(loaded(-x)), _flat(frozen(-x)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_bfloat16(tmp_path):
    """Weights, and the arrays that a function holds, have the same bits after loading, in a process of its own, too."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bfloat16 = np.dtype(ml_dtypes.bfloat16)
    with renga.using_config("dtype", bfloat16):
        model = settled(renga.Sequential(L.Linear(6, 5), F.relu, L.BatchNormalization(5), L.Linear(5, 3)))
    x = np.linspace(-2, 2, 24).reshape(4, 6).astype(bfloat16)
    frozen = renga.inference(model, x)
    frozen.save(tmp_path / "model.npz")
    expected = frozen(x)
    loaded = renga.load_inference(tmp_path / "model.npz")(x)
    assert loaded.dtype == bfloat16
    np.testing.assert_array_equal(loaded.view(np.uint16), expected.view(np.uint16))
    program = f"import renga; print(renga.load_inference({str(tmp_path / 'model.npz')!r}))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "bfloat16" in printed.stdout, printed.stderr


def test_loading_holds_weights_once(tmp_path):
    """The engine packs them one by one, and frees each: the peak of memory is not twice their size."""
    layers = [L.Linear(1000, 1000) for _ in range(4)]
    renga.inference(lambda x: functools.reduce(lambda h, layer: layer(h), layers, x), np.ones((1, 1000), "f")).save(
        tmp_path / "model.npz"
    )
    weights = sum(layer.W.array.nbytes for layer in layers)
    tracemalloc.start()
    try:
        loaded = renga.load_inference(tmp_path / "model.npz")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert weights < peak < 1.6 * weights
    assert loaded(np.ones((1, 1000), "f")).shape == (1, 1000)


def _flat(result):
    if isinstance(result, np.ndarray):
        return [result]
    return [array for part in (result.values() if isinstance(result, dict) else result) for array in _flat(part)]


def test_a_damaged_file_is_refused(stored, tmp_path):
    right, expected, meaningless = stored.read_bytes(), _flat(renga.load_inference(stored)(images(2))), 0
    target = tmp_path / "model.npz"
    for place in [*range(0, len(right), len(right) // 60), len(right) - 1]:
        target.write_bytes(right[:place] + bytes([right[place] ^ 16]) + right[place + 1 :])
        with contextlib.suppress(FileDamaged):  # some bits of an archive mean nothing, such as those of dates
            found = _flat(renga.load_inference(target)(images(2)))
            assert all(map(np.array_equal, found, expected))
            meaningless += 1
    assert meaningless < 5
    for end in (0, 1, 100, len(right) // 2, len(right) - 1):
        target.write_bytes(right[:end])
        with pytest.raises(FileDamaged):
            renga.load_inference(target)


def _change(path, **changes):
    """The file with other parts of its description, and a digest that fits."""
    with open_archive(path) as archive:
        arrays = {name: archive[name] for name in archive}
    described = json.loads(arrays["program"].tobytes())
    for place, value in changes.items():
        part = described
        *keys, last = [int(key) if key.isdigit() else key for key in place.split("__")]
        for key in keys:
            part = part[key]
        part[last] = value
    arrays["program"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
    file = io.BytesIO()
    write_archive(file, arrays, compression=False)
    return file.getvalue()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps__0__function__function": "os:system"}, "which is in no installed plugin"),
        ({"steps__0__function__function": "renga.__main__:main"}, "which is in no installed plugin"),
        ({"steps__0__function__function": "renga_nn.__main__:X"}, "which is in no installed plugin"),
        ({"steps__0__function__function": "renga_core.graph:Variable"}, "which cannot be part of a frozen model"),
        ({"steps__0__function__function": "renga_core.link.link:Link"}, "which cannot be part of a frozen model"),
        ({"steps__0__function__attributes": {"dict": {"geometry": {"eval": "1"}}}}, "KeyError"),
        ({"steps__0__inputs": [0, 1000]}, "reads a missing array"),
        ({"steps__0__inputs": [-1]}, "is not an integer of at least 0"),
        ({"steps__0__outputs": [0]}, "writes an existing one"),
        ({"specs__0": [{"tuple": [1 << 40]}, {"dtype": "<f4"}]}, "Error"),
        ({"specs__0": [{"tuple": [2, 2, 9, 8]}, {"dtype": "<f4"}]}, "Error"),
        ({"specs__0": [{"tuple": [2, 3, 9, 8]}, {"dtype": "|O"}]}, "a dtype of objects"),
        ({"format": 2}, "this version of Renga reads 1"),
        ({"result": {"place": 12345}}, "an array is missing"),
        ({"batch": 0}, "no batch"),
        ({"steps": []}, "an array is missing"),
    ],
)
def test_a_file_that_was_written_to_do_harm_is_refused(stored, tmp_path, changes, said):
    target = tmp_path / "model.npz"
    target.write_bytes(_change(stored, **changes))
    with pytest.raises(FileDamaged, match=said) as error:
        renga.load_inference(target)
    assert "a frozen model" in str(error.value)
    assert "\n" not in str(error.value)


def test_every_shape_that_a_file_may_claim_is_refused_or_harmless(stored, tmp_path):
    """An engine writes where the description says: no shape of a result may be smaller than what is computed."""
    with open_archive(stored) as archive:
        described = json.loads(archive["program"].tobytes())
    target = tmp_path / "model.npz"
    for number, (shape, dtype) in described["specs"].items():
        sizes = shape["tuple"]
        for place in {0, len(sizes) - 1}:
            smaller = [{"size": [0, 1]} if at == place else size for at, size in enumerate(sizes)]
            target.write_bytes(_change(stored, **{f"specs__{number}": [{"tuple": smaller}, dtype]}))
            with contextlib.suppress(FileDamaged):
                renga.load_inference(target)


def test_a_file_that_is_no_frozen_model_is_refused(tmp_path):
    np.savez(tmp_path / "model.npz", W=np.zeros(3))
    with pytest.raises(FileDamaged, match="a frozen model"):
        renga.load_inference(tmp_path / "model.npz")
    with pytest.raises(OSError, match=r"nowhere.npz"):
        renga.load_inference(tmp_path / "nowhere.npz")


class Own(renga.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] + 1,)


def test_a_function_of_no_plugin_cannot_be_saved(tmp_path):
    frozen = renga.inference(lambda x: F.relu(Own().apply((x,))[0]), images(2))
    with pytest.raises(RengaError, match=r"Own \(.*\): .*:Own is in no installed plugin.*\nNext: "):
        frozen.save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())
