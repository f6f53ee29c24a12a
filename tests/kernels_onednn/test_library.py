"""Loading oneDNN."""

import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from renga_kernels_onednn import library


def test_threads_that_load_it_at_once_get_the_same(monkeypatch):
    """With an engine each, memory of one and primitives of the other would not go together."""
    begun = threading.Event()

    class Slow(library.Library):
        def __init__(self, path):
            begun.set()
            time.sleep(0.1)  # while the other thread asks
            super().__init__(path)

    for name in ("library", "_load"):
        monkeypatch.setattr(library, name, functools.cache(getattr(library, name).__wrapped__))
    monkeypatch.setattr(library, "Library", Slow)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(lambda: library.library())
        assert begun.wait(60)
        second = threads.submit(lambda: library.library())
        assert first.result() is second.result()
