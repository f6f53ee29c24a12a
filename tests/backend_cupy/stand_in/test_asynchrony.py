"""Memory that is not ready holds garbage, and what nothing orders is a race: in each run, not on some days."""

import sys

import numpy as np
import pytest


@pytest.fixture
def race(devices):
    """The exception; importable once the stand-in is installed."""
    return sys.modules["stand_in.ordering"].Race


def test_memory_without_a_value_is_nan(cp):
    for dtype in (np.float16, np.float32, np.float64):
        assert np.isnan(cp.empty((2, 3), dtype=dtype).get()).all()
    assert (cp.empty(3, dtype=np.int64).get() == -1).all()


def test_freed_memory_is_handed_out_again_and_holds_nothing(cp):
    x = cp.ones(100)
    address, view = x.data.ptr, x[50:]
    del x
    assert cp.empty(100).data.ptr != address  # a view still uses it
    del view
    y = cp.empty(90)
    assert y.data.ptr == address
    assert np.isnan(y.get()).all()
    with cp.cuda.Stream(non_blocking=True):
        del y
        assert cp.empty(90).data.ptr != address  # each stream has memory of its own


def test_a_stream_reads_what_another_has_written(cp, race):
    writer, reader = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    with writer:
        x = cp.ones(3)
    with reader, pytest.raises(race, match=r"is read on stream .*, and written on stream"):
        x + 1
    reader.wait_event(writer.record())
    with reader:
        np.testing.assert_array_equal((x + 1).get(), 2)


def test_a_stream_overwrites_what_another_reads(cp, race):
    x = cp.ones(3)
    reader = cp.cuda.Stream(non_blocking=True)
    reader.wait_event(cp.cuda.get_current_stream().record())
    with reader:
        x + 1
    with pytest.raises(race, match=r"is written on default .*, and read on stream"):
        x[...] = 2
    cp.cuda.get_current_stream().wait_event(reader.record())
    x[...] = 2


def test_memory_comes_back_to_a_stream_while_another_reads_it(cp, race):
    """What was freed is written by its own stream next: after the other one has read it, if an event says so."""
    writer, reader = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    for ordered in (True, False):
        with writer:
            x = cp.ones(3)
        reader.wait_event(writer.record())
        with reader:
            x + 1
        del x
        if ordered:
            writer.wait_event(reader.record())
            with writer:
                cp.ones(3)
        else:
            with writer, pytest.raises(race, match="a result of ones is written"):
                cp.ones(3)


def test_the_host_orders_what_it_waits_for(cp):
    writer, reader = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    with writer:
        x = cp.ones(3)
    writer.synchronize()
    with reader:
        np.testing.assert_array_equal((x + 1).get(), 2)


def test_a_download_is_there_when_the_host_has_waited(cp):
    import cupyx

    x, host = cp.ones(3), cupyx.empty_pinned((3,), np.float64)
    x.get(out=host, blocking=False)
    assert np.isnan(host).all()
    cp.cuda.get_current_stream().record().synchronize()
    assert host.tolist() == [1, 1, 1]


@pytest.mark.parametrize("changed", [True, False])
def test_a_pinned_array_may_not_be_changed_while_it_is_uploaded(cp, changed):
    import cupyx

    host = cupyx.empty_pinned((3,), np.float64)
    host[...] = 1
    x = cp.empty(3)
    x.set(host)
    if changed:
        host[...] = 2
        with pytest.raises(AssertionError, match="a pinned host array was changed"):
            cp.cuda.get_current_stream().synchronize()
    else:
        cp.cuda.get_current_stream().synchronize()
        host[...] = 2
        np.testing.assert_array_equal(x.get(), 1)


def test_launches_waits_and_uploads_are_counted(cp, devices):
    x = cp.asarray(np.ones(3))
    (x.reshape(3, 1).T * 2 + x).sum().item()
    assert dict(devices.launches) == {"multiply": 1, "add": 1, "sum": 1}
    assert (dict(devices.waits), devices.uploads) == ({"get": 1} if "get" in devices.waits else {"item": 1}, 1)
