"""What CuPy and a GPU refuse, the stand-in refuses."""

import sys

import numpy as np
import pytest


@pytest.fixture
def capturing(cp):
    """A stream that captures, and an array made before."""
    x = cp.ones((4, 4), dtype=np.float32)
    stream = cp.cuda.Stream(non_blocking=True)
    stream.wait_event(cp.cuda.get_current_stream().record())
    with stream:
        stream.begin_capture()
        yield x
    stream.captured = None


def test_arrays_of_the_host_are_not_taken(cp):
    x, host = cp.ones(3), np.ones(3)
    for call in (lambda: x + host, lambda: cp.where(x > 0, x, host), lambda: x.__setitem__(slice(None), host)):
        with pytest.raises(TypeError, match="Unsupported type"):
            call()
    np.testing.assert_array_equal((x + 1.0).get(), 2)


def test_arrays_of_another_device_are_not_taken(cp):
    with cp.cuda.Device(1):
        x = cp.ones(3)
    with pytest.raises(ValueError, match="array device = 1 while current = 0"):
        x * 2
    kernel = cp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]", "copied")
    with pytest.raises(ValueError, match=r"array device = 1 while current = 0 \(copied\)"):
        kernel(x, cp.empty(3), size=3)
    with cp.cuda.Device(1):
        np.testing.assert_array_equal((x * 2).get(), 2)


@pytest.mark.parametrize(
    ("name", "dtypes", "made"),
    [
        ("sqrt", ["int8"], "float16"),  # as NumPy
        ("sqrt", ["int64"], "float64"),
        ("divide", ["int8", "int8"], "float64"),
        ("add", ["float16", "float32"], "float32"),
        ("bitwise_and", ["float32", "float32"], None),
        ("logaddexp", ["complex64", "complex64"], None),
    ],
)
def test_dtypes_are_those_of_cupys_tables(cp, name, dtypes, made):
    arrays = [cp.ones(2, dtype=dtype) for dtype in dtypes]
    if made is None:
        with pytest.raises(TypeError, match=f"{name} has no loop for"):
            getattr(cp, name)(*arrays)
    else:
        assert getattr(cp, name)(*arrays).dtype == made


def test_what_cupy_has_not_is_not_there(cp):
    with pytest.raises(AttributeError, match=r"module 'cupy' 14\..* has no attribute 'busday_count'"):
        cp.busday_count  # noqa: B018
    with pytest.raises(TypeError, match="has no function"):
        np.busday_count(cp.ones(2), cp.ones(2))


def test_a_result_of_another_kind_is_not_written(cp):
    x = cp.ones(2, dtype=np.int64)
    with pytest.raises(TypeError, match="could not be coerced to provided output parameter"):
        x += 0.5


class TestWhileAStreamCaptures:
    @pytest.mark.parametrize(
        "call",
        [
            lambda cp, x: x.get(),
            lambda cp, x: float(x[0, 0]),
            lambda cp, x: bool((x > 0).all()),
            lambda cp, x: cp.cuda.get_current_stream().synchronize(),
            lambda cp, x: cp.cuda.get_current_stream().record().synchronize(),
            lambda cp, x: cp.nonzero(x),
            lambda cp, x: x[x > 0],
            lambda cp, x: cp.asarray(np.ones(3)),
            lambda cp, x: x.set(np.ones((4, 4), np.float32)),
            lambda cp, x: cp.concatenate([x] * 9),
        ],
    )
    def test_waiting_and_uploading_are_refused(self, cp, capturing, call):
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            call(cp, capturing)

    @pytest.mark.parametrize(
        "call", [lambda cp, x: x @ x, lambda cp, x: cp.dot(x, x), lambda cp, x: cp.tensordot(x, x, 1)]
    )
    def test_cupys_products_are_refused(self, cp, capturing, call):
        with pytest.raises(NotImplementedError, match="calling cuBLAS API during stream capture"):
            call(cp, capturing)

    def test_what_does_not_wait_is_captured(self, cp, capturing):
        cp.concatenate([capturing] * 8)
        (capturing * 2 + 1).sum()
        assert len(cp.cuda.get_current_stream().captured) == 4

    def test_other_work_cannot_be_waited_for(self, cp, capturing):
        event = cp.cuda.Stream(non_blocking=True).record()
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureIsolation"):
            cp.cuda.get_current_stream().wait_event(event)

    def test_memory_grows_in_relaxed_mode_only(self, cp, devices):
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            for mode, size in ((None, 3_000), (0, 30_000)):
                stream.begin_capture(mode)
                if mode is None:
                    cp.empty(size)
                else:
                    with pytest.raises(MemoryError, match="the pool has to grow while a stream captures"):
                        cp.empty(size)
                stream.end_capture()


def test_captured_work_is_done_by_replays_only(cp):
    x = cp.zeros(3)
    stream = cp.cuda.Stream(non_blocking=True)
    stream.wait_event(cp.cuda.get_current_stream().record())
    with stream:
        stream.begin_capture()
        y = x + 1
        x += 1
        graph = stream.end_capture()
        assert np.isnan(y.get()).all()
        assert x.get().tolist() == [0, 0, 0]
        for n in (1, 2):
            graph.launch()
            assert (x.get().tolist(), y.get().tolist()) == ([n] * 3, [n] * 3)


@pytest.mark.parametrize("aligned", [True, False])
def test_cudnn_wants_addresses_that_are_multiples_of_16(cp, aligned):
    cudnn = sys.modules["cudnn"]
    graph = cudnn.pygraph("float32", "float32", "float32", handle="handle")
    size = [1, 1, 2, 2]
    x, w = (graph.tensor(dim=size, stride=[4, 4, 2, 1], data_type="float32").set_uid(n) for n in (1, 2))
    y = graph.conv_fprop(image=x, weight=w, pre_padding=[0, 0], post_padding=[0, 0], stride=[1, 1], dilation=[1, 1])
    y.set_output(True).set_data_type("float32").set_dim([1, 1, 1, 1]).set_stride([1, 1, 1, 1]).set_uid(3)
    memory, made = cp.ones(9, dtype=np.float32), cp.empty(1, dtype=np.float32)
    image = memory[0 if aligned else 1 :][:4]
    pointers = {1: image.data.ptr, 2: memory.data.ptr, 3: made.data.ptr}
    if aligned:
        graph.execute(pointers, memory.data.ptr, handle="handle")
        assert made.get().tolist() == [4]
    else:
        with pytest.raises(
            RuntimeError, match=r"cudaErrorMisalignedAddress: tensor 1 is at 0x[0-9a-f]+4, not a multiple"
        ):
            graph.execute(pointers, memory.data.ptr, handle="handle")
