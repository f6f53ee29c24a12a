"""Batches that are computed in pieces."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from inference_models import Encoder, Recurrent, Residual, called, images, settled, words

import renga
import renga.functions as F
import renga.links as L
from renga_inference import engine, pieces
from renga_inference.pieces import work_of
from renga_kernels_onednn import threads


@pytest.fixture(params=["fastest", "without onednn"])
def _little_work(request, monkeypatch):
    """The least work is cut into pieces of one example, for two threads, whichever engine there is."""
    monkeypatch.setattr(pieces, "LITTLE", 0)
    monkeypatch.setattr(pieces, "CACHE", 0)
    monkeypatch.setattr(threads, "count", lambda: 2)
    monkeypatch.setattr(threads, "free", lambda: 2)
    monkeypatch.setattr(engine.Engine, "threads", 2)
    monkeypatch.setattr(engine.Engine, "share", _share)
    with renga.using({"plugins.disable": [] if request.param == "fastest" else ["onednn"]}):
        yield


def _share(self, compute, numbers):
    common = iter(numbers)
    workers = [threading.Thread(target=compute, args=(common,)) for _ in range(self.threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def mixed(x):
    h = F.relu(F.concat([x, x * 2], axis=1))
    first, second = F.split_axis(h, 2, axis=1)
    weights = F.softmax(F.matmul(first, second.transpose(0, 1, 3, 2)), axis=3)
    padded = F.pad(h, [(0, 0), (0, 0), (1, 0), (0, 2)], "constant")
    flat = F.sigmoid(h.reshape(-1, 8) + np.float32(1))
    return {"weights": weights, "flat": flat, "sums": (F.sum(padded, axis=(2, 3)), F.max(padded, axis=1))}


@pytest.mark.usefixtures("_little_work")
@pytest.mark.parametrize("model", [settled(Residual()), mixed])
def test_pieces_compute_what_the_whole_does(model):
    frozen = renga.inference(model, images(2))
    assert isinstance(frozen._work, pieces.Work)
    frozen._work = frozen._work._replace(constants=0)
    for batch in (1, 4, 7):
        x = images(batch, seed=batch)
        expected = called(model, x)
        found = frozen(x)
        for name in expected:
            for a, b in zip(_tuple(found[name]), _tuple(expected[name]), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert [(size, len(plans)) for (size, alone), plans in frozen._plans.items() if alone] == [(1, 2)]


def _tuple(found):
    return found if isinstance(found, tuple) else (found,)


def others(x):
    return F.matmul(x.reshape(-1, 216), x.reshape(-1, 216), transb=True)


@pytest.mark.parametrize(
    "model",
    [
        lambda x: x - F.broadcast_to(F.mean(x, axis=0), x.shape),
        lambda x: x + F.broadcast_to(F.max(x, axis=0, keepdims=True), x.shape),
        lambda x: F.softmax(x, axis=0),
        lambda x: F.relu(x).transpose(1, 0, 2, 3),
        lambda x: F.concat([x, x], axis=0),
        lambda x: F.relu(x)[::-1],
        lambda x: F.relu(x) * len(x),
        lambda x: F.relu(x) / len(x),
        others,
    ],
)
def test_a_model_in_which_examples_meet_is_computed_whole(model):
    assert work_of(renga.inference(model, images(3)).program) is None


@pytest.mark.parametrize(("make", "batch_of"), [(Encoder, words), (Recurrent, words)])
def test_so_is_one_of_which_it_is_not_known(make, batch_of):
    assert work_of(renga.inference(settled(make()), batch_of(3)).program) is None


def test_a_piece_fits_into_the_cache_and_each_thread_gets_one():
    work = pieces.Work(largest=pieces.CACHE // 3, total=pieces.CACHE, constants=0)
    assert [work.piece(batch, 2) for batch in (1, 2, 5, 6, 100)] == [0, 1, 2, 3, 3]
    assert pieces.Work(2 * pieces.CACHE, 2 * pieces.CACHE, 0).piece(8, 2) == 1
    assert pieces.Work(10, 10, 0).piece(100, 2) == 0
    assert pieces.Work(10, pieces.LITTLE, 1 << 40).piece(100, 2) == 0


def test_a_linear_layer_of_one_weight_is_not_of_the_batch():
    link = L.Linear(216, 4)
    assert work_of(renga.inference(lambda x: link(x), images(3)).program) is not None
