import multiprocessing
import os
import threading

import pytest

from renga_data.iterators.semaphores import Semaphore

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")


def test_it_counts():
    semaphore = Semaphore(2)
    assert semaphore.acquire()
    assert semaphore.acquire(block=False)
    assert semaphore._semlock._is_zero()
    assert not semaphore.acquire(block=False)
    assert not semaphore.acquire(timeout=0.01)
    semaphore.release()
    assert not semaphore._semlock._is_zero()
    with semaphore:
        assert semaphore._is_zero()
    assert semaphore.acquire(timeout=0.0)


def test_it_waits_for_another_thread():
    lock = Semaphore()
    assert lock.acquire()
    thread = threading.Timer(0.05, lock.release)
    thread.start()
    assert lock.acquire(timeout=60)
    thread.join()


def test_its_descriptor_is_closed():
    semaphore = Semaphore()
    file = semaphore._file
    del semaphore
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(file)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_share_it(method):
    full, empty = Semaphore(0), Semaphore(0)
    process = multiprocessing.get_context(method).Process(target=empty.acquire)
    other = multiprocessing.get_context(method).Process(target=full.release)
    process.start()
    other.start()
    assert full.acquire(timeout=60)
    empty.release()
    for started in (process, other):
        started.join(60)
        assert started.exitcode == 0
        started.close()
