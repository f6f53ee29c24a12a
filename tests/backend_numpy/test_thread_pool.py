import os
import threading

import numpy as np
import pytest

from renga_backend_numpy.kernels import thread_pool
from renga_backend_numpy.kernels.product import multiply
from renga_backend_numpy.kernels.thread_pool import blas_threads, run_pieces, thread_count


@pytest.fixture(autouse=True)
def two_threads():
    with blas_threads(2):
        yield


def test_each_piece_is_done_once_in_several_threads():
    done, both = [], threading.Barrier(2, timeout=20)

    def work(pieces):
        both.wait()  # which a single thread would wait at in vain
        for piece in pieces:
            done.append(piece)

    run_pieces(work, range(100))
    assert sorted(done) == list(range(100))


def test_blas_has_one_thread_meanwhile():
    seen = []
    run_pieces(lambda pieces: seen.append((list(pieces), thread_count())), [1])
    assert seen == [([1], 1)]
    assert thread_count() == 2


@pytest.mark.parametrize("thread", ["the caller's", "another"])
def test_errors_are_raised_in_the_callers_thread(thread):
    both = threading.Barrier(2, timeout=20)

    def work(pieces):
        both.wait()
        if (threading.current_thread() is caller) == (thread == "the caller's"):
            raise KeyError("piece")

    caller = threading.current_thread()
    with pytest.raises(KeyError, match="piece"):
        run_pieces(work, range(2))
    run_pieces(lambda pieces: list(pieces), range(2))
    assert thread_count() == 2


def test_share_within_share_and_from_many_threads():
    """Whoever finds the threads busy works alone."""

    def inner(pieces):
        for piece in pieces:
            run_pieces(lambda parts, piece=piece: totals.extend((piece, part) for part in parts), range(3))

    totals = []
    run_pieces(inner, range(4))
    assert sorted(totals) == [(i, j) for i in range(4) for j in range(3)]

    a = np.random.default_rng(0).normal(size=(200, 200)).astype(np.float32)
    right, wrong = a @ a, []

    def compute():
        for _ in range(50):
            if not np.allclose(multiply(a, a), right, atol=1e-3):
                wrong.append(1)

    threads = [threading.Thread(target=compute) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_works():
    run_pieces(lambda pieces: list(pieces), range(2))
    child = os.fork()
    if not child:
        threading.Timer(20, os._exit, [1]).start()
        with blas_threads(2):
            run_pieces(lambda pieces: list(pieces), range(2))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_without_openblas(monkeypatch):
    monkeypatch.setattr(thread_pool, "_blas", lambda: None)
    assert thread_count() == 1
    done = []
    run_pieces(lambda pieces: done.extend(pieces), range(3))
    assert done == [0, 1, 2]
    with blas_threads(3):
        assert thread_count() == 1


@pytest.mark.parametrize("shape", [(1, 1, 1), (300, 120, 130), (3, 2000, 900), (0, 3, 2), (2, 0, 3)])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_multiply(shape, dtype):
    rng = np.random.default_rng(0)
    rows, inner, columns = shape
    a, b = rng.normal(size=(rows, inner)).astype(dtype), rng.normal(size=(inner, columns)).astype(dtype)
    right = a.astype("d") @ b.astype("d")
    for left, second in ((a, b), (np.asfortranarray(a), b), (a, np.asfortranarray(b)), (np.repeat(a, 2, 1)[:, ::2], b)):
        y = multiply(left, second)
        assert y.dtype == dtype
        np.testing.assert_allclose(y, right, atol=1e-3 if dtype == "f" else 1e-10)
