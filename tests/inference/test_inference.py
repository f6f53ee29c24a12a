"""`renga.inference`: the same as the model, for any batch; or a reason why not."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from inference_models import Encoder, Recurrent, Residual, called, images, settled, words

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

MODELS = {"residual": (Residual, images), "encoder": (Encoder, words), "recurrent": (Recurrent, words)}


@pytest.fixture(params=["fastest", "without onednn"])
def _engine(request):
    disabled = [] if request.param == "fastest" else ["onednn"]
    with renga.using({"plugins.disable": disabled}):
        yield


def same(found, expected):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = tuple(found.values()), tuple(expected.values())
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            same(a, b)
        return
    assert isinstance(found, np.ndarray)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("_engine")
@pytest.mark.parametrize("name", MODELS)
def test_it_computes_what_the_model_does_for_any_batch(name):
    make, batch_of = MODELS[name]
    model = settled(make())
    frozen = renga.inference(model, batch_of(3))
    assert frozen.program.fixed == ""
    for batch in (3, 1, 7):
        x = batch_of(batch, seed=batch)
        same(frozen(x), called(model, x))


def test_what_can_be_folded_and_fused_is():
    frozen = renga.inference(settled(Residual()), images(2))
    names = [step.name.partition(" (")[0] for step in frozen.program.steps]
    fused = ["Convolution + ReLU", "Convolution + ClippedReLU", "Convolution + Add + ReLU"]
    assert names == [*fused, "MaxPooling", "Linear + Tanh", "Linear", "Softmax", "WindowSum"]


def test_results_belong_to_the_caller_and_the_model_is_not_needed_any_more():
    model = settled(Recurrent())
    x = words(2)
    frozen = renga.inference(model, x)
    first = frozen(x)
    kept = first.copy()
    for parameter in model.params():
        parameter.array[...] = 0
    frozen(words(2, seed=1))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(frozen(x), kept)
    assert model.lstm.h is None  # nor has freezing left a state in it


@pytest.mark.usefixtures("_engine")
def test_memory_of_results_is_free_as_soon_as_the_caller_drops_them():
    """No reference cycle keeps them until the garbage collector runs, which may be many calls later."""
    frozen = renga.inference(lambda x: {"all": (x * 2, x + 1)}, images(2))
    gc.disable()
    try:
        results = [weakref.ref(each) for each in frozen(images(2))["all"]]
        assert [each() for each in results] == [None, None]
    finally:
        gc.enable()


def test_several_threads_call_it_at_once():
    model = settled(Residual())
    frozen = renga.inference(model, images(2))
    expected = {batch: called(model, images(batch, seed=batch)) for batch in (1, 2, 3, 4)}
    wrong = []

    def call(batch):
        for _ in range(10):
            try:
                same(frozen(images(batch, seed=batch)), expected[batch])
            except AssertionError as error:
                wrong.append(error)

    threads = [threading.Thread(target=call, args=(batch,)) for batch in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_copy_is_a_frozen_model_of_its_own():
    frozen = renga.inference(settled(Residual()), images(2))
    same(copy.deepcopy(frozen)(images(3)), frozen(images(3)))


def test_a_forked_process_can_call_it():
    program = """
import os, sys
sys.path.insert(0, sys.argv[1])
import renga
from inference_models import Residual, images, settled
frozen = renga.inference(settled(Residual()), images(2))
before = frozen(images(2))["classes"]
child = os.fork()
if not child:
    os._exit(0 if abs(frozen(images(2))["classes"] - before).max() < 1e-5 else 1)
sys.exit(os.waitpid(child, 0)[1])
"""
    folder = str(Path(__file__).parents[1] / "support")
    subprocess.run([sys.executable, "-W", "ignore", "-c", program, folder], check=True, timeout=120)


# --- what cannot be frozen --------------------------------------------------------------------------------------------


def sign(x):
    return F.relu(x * 2) if float(x.array.sum()) > 0 else F.relu(x * 3)


def branch(x):
    return F.relu(x) if float(x.array.sum()) > 0 else F.sigmoid(x)


def outside(x):
    return F.relu(x) + np.abs(x.array)


def scaled(x):
    return F.relu(x) * float(x.array.max())


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (sign, "MultiplyConstant .* has other arguments"),
        (branch, "ReLU .* and Sigmoid|Sigmoid .* and ReLU"),
        (outside, "Add .* gets an array that was computed outside of functions"),
        (scaled, "MultiplyConstant .* has other arguments"),
        (lambda x: x.array * 2, "a result was computed outside of functions"),
        (lambda x: F.gaussian(x, x), "is the first step that differs|computes differently"),
        (lambda x: x.shape[0], r"the model returns a int"),
        (lambda x: {1: F.relu(x)}, "the model returns a dict"),
    ],
)
def test_what_does_not_do_the_same_for_other_values_is_refused(model, reason):
    with pytest.raises(RengaError, match=reason) as error:
        renga.inference(model, images(2))
    assert "Next: " in str(error.value)


@pytest.mark.parametrize("warm", [False, True])
def test_a_model_that_keeps_a_state_is_refused(warm):
    """A frozen model would begin anew in each call. With reset_state in forward, the model does so, too."""
    assert len(renga.inference(Recurrent(), words(2))(words(3))) == 3
    layer = L.LSTM(4, 3)
    x = np.ones((2, 4), np.float32)
    if warm:
        layer(x)
    before = dict(vars(layer))
    with pytest.raises(RengaError, match=r"keeps a state from call to call \(c of LSTM, h of LSTM\)\.\nNext: "):
        renga.inference(layer, x)
    assert vars(layer) == before


def test_results_that_a_link_keeps_are_no_state():
    model = L.Classifier(L.Linear(4, 3))
    x, t = np.ones((2, 4), np.float32), np.zeros(2, np.int32)
    frozen = renga.inference(model, x, t)
    with renga.using_config("train", False):
        np.testing.assert_allclose(frozen(x, t), model(x, t).array, rtol=1e-5)


def test_a_model_for_one_size_of_the_batch_is_frozen_for_that_one():
    frozen = renga.inference(lambda x: F.relu(x).reshape(2, 216), images(2))
    same(frozen(images(2)), F.relu(images(2)).array.reshape(2, 216))
    with pytest.raises(
        RengaError, match=r"takes float32 \(2, 3, 9, 8\) \(with other sizes the model raises InvalidType"
    ):
        frozen(images(3))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((images(2)[:, :2],), r"argument 0 is float32 \(2, 2, 9, 8\); the frozen model takes float32 \(N, 3, 9, 8\)"),
        ((images(2).astype(np.float64),), "argument 0 is float64"),
        ((images(0),), "the batch is empty"),
        ((), r"takes 1 argument\(s\); given: 0"),
    ],
)
def test_other_arguments_are_refused(arguments, said):
    frozen = renga.inference(settled(Residual()), images(2))
    with pytest.raises(RengaError, match=said):
        frozen(*arguments)


@pytest.mark.parametrize("example", [(), (np.float32(1),), (images(0),)])
def test_without_an_example_it_says_what_is_missing(example):
    with pytest.raises(RengaError, match="needs an example"):
        renga.inference(F.relu, *example)


@pytest.mark.parametrize("kind", [tuple, list])
def test_arrays_in_a_tuple_or_list_are_refused(kind):
    with pytest.raises(RengaError, match=rf"argument 1 of the model is a {kind.__name__} of arrays"):
        renga.inference(F.add, images(2), kind([images(2), renga.Variable(images(2))]))


def test_a_model_that_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="takes a Link or a function, not int 3"):
        renga.inference(3, images(2))  # type: ignore[arg-type]  # the wrong type is what is tested


def scaled_by_a_little(make):
    return lambda: make() * np.float32(1.001)


def test_the_first_step_that_differs_is_named(monkeypatch):
    from renga_inference import folding

    right = folding._weights
    monkeypatch.setattr(folding, "_weights", lambda *args: [scaled_by_a_little(make) for make in right(*args)])
    with pytest.raises(RengaError, match=r"Convolution \+ ReLU \(.*models.py:\d+\) is the first step that differs, by"):
        renga.inference(settled(Residual()), images(2))
    renga.inference(settled(Residual()), images(2), tolerance=0.1)


def test_several_arguments_of_which_one_has_no_batch():
    weights = np.linspace(0, 1, 8, dtype=np.float32)
    frozen = renga.inference(lambda x, w, y: F.relu(x) * F.broadcast_to(w, x.shape) + y, images(2), weights, images(2))
    x = images(5)
    same(frozen(x, weights, x), np.maximum(x, 0) * weights + x)


def test_a_link_of_two_results_of_which_one_is_an_argument():
    link = L.Linear(216, 2)
    frozen = renga.inference(lambda x: (link(x), x), images(2))
    x = images(4)
    same(frozen(x), (link(x).array, x))


def test_it_says_what_it_takes():
    frozen = renga.inference(settled(Residual()), images(2))
    assert repr(frozen) == f"<FrozenModel of float32 (N, 3, 9, 8): {len(frozen.program.steps)} steps>"


def test_weights_are_kept_once():
    """The engine has the only copy, in an order of its own; saved are the weights themselves."""
    model = settled(Residual())
    frozen = renga.inference(model, images(2))
    constants = frozen.program.constants
    (step, *_) = [step for step in frozen.program.steps if step.name.startswith("Linear (")]
    number = step.inputs[1]
    assert (number in constants._arrays) == ("engine" not in frozen.describe())
    np.testing.assert_array_equal(constants[number], model.fc2.W.array)
    expected = frozen(images(5))
    for parameter in model.params():
        parameter.array[...] = 0
    for again in (frozen, copy.deepcopy(frozen)):
        same(again(images(5)), expected)
