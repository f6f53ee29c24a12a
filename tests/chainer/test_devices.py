"""Devices as programs of Chainer's name them. What is expected is what Chainer 7.8.1 gives."""


def test_numbers_as_text_name_devices(run_as_chainer):
    """`args.device` of ``--device -1`` and of ``--gpu -1`` of old programs."""
    run_as_chainer("""
    cpu = chainer.get_device("@numpy")
    for spec in ("-1", " -1", "-2", -1, np.int8(-1), np.int32(-1), np.int64(-1), cpu, cuda.DummyDevice):
        assert chainer.get_device(spec) == cpu, spec
        assert L.Linear(2, 2).to_device(spec).device == cpu
        v = chainer.Variable(array(2))
        v.to_device(spec)
        assert v.device == cpu
        assert chainer.dataset.concat_examples([array(2)], device=spec).shape == (1, 2)
        assert isinstance(chainer.dataset.to_device(spec, array(2)), np.ndarray)
        assert F.copy(array(2), spec).device == cpu
        with chainer.using_device(spec):
            pass
        model = L.Classifier(L.Linear(2, 2))
        optimizer = optimizers.SGD().setup(model)
        def make(**options):
            return iterators.SerialIterator([(array(2), np.int32(0))], 1, **options)
        training.StandardUpdater(make(), optimizer, device=spec).update()
        training.updaters.ParallelUpdater(make(), optimizer, devices={"main": spec}).update()
        extensions.Evaluator(make(repeat=False), model, device=spec)()
    chainer.get_device("-1").use()
    with pytest.raises(ValueError, match="@numpy:0"):
        chainer.get_device("@numpy:0")
    """)


def test_the_command_line_of_most_programs(run_as_chainer):
    run_as_chainer("""
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", "-d", type=str, default="-1")
    group = parser.add_argument_group("deprecated arguments")
    group.add_argument("--gpu", "-g", dest="device", type=int, nargs="?", const=0)
    for words in ([], ["--device", "-1"], ["--gpu", "-1"], ["-g", "-1"], ["-d", "@numpy"]):
        device = chainer.get_device(parser.parse_args(words).device)
        device.use()
        assert str(device) == "@numpy"
    """)


def test_a_gpu_that_is_not_there(run_as_chainer):
    """A RuntimeError, as Chainer's, that says what to do."""
    run_as_chainer("""
    warnings.simplefilter("ignore", DeprecationWarning)  # to_gpu is deprecated in Chainer 7
    if not cuda.available:
        for spec in ("0", 0, "1", np.int32(0), "@cupy:0"):
            for use in (chainer.get_device, L.Linear(2, 2).to_device, lambda s: chainer.using_device(s).__enter__(),
                        lambda s: chainer.dataset.to_device(s, array(2))):
                with pytest.raises(RuntimeError, match=r"(?s)CUDA.*--device -1"):
                    use(spec)
        for use in (cuda.check_cuda_available, L.Linear(2, 2).to_gpu, lambda: cuda.to_gpu(array(2)),
                    lambda: backend.GpuDevice.from_device_id(0), lambda: cuda.get_device_from_id(0)):
            with pytest.raises(RuntimeError, match=r"(?s)CUDA.*--device -1"):
                use()
    """)


def test_device_of_an_array(run_as_chainer):
    run_as_chainer("""
    cpu = chainer.get_device("@numpy")
    assert backend.CpuDevice.from_array(array(2)) == cpu
    for kind in (backend.CpuDevice, backend.GpuDevice, backend.Intel64Device, backend.ChainerxDevice):
        for other in (3, None, 1.5, [1], chainer.Variable(array(2))):
            assert kind.from_array(other) is None
    assert backend.GpuDevice.from_array(array(2)) is None
    assert issubclass(backend.CpuDevice, backend.Device) and issubclass(backend.GpuDevice, backend.Device)
    assert isinstance(cpu, backend.CpuDevice) and not isinstance(cpu, backend.GpuDevice)
    assert cuda.get_device_from_id(-1) is cuda.DummyDevice and cuda.get_device_from_id(None) is cuda.DummyDevice
    """)


def test_numbers_are_sent_as_arrays(run_as_chainer):
    """`np.dot` and reductions give scalars, and programs send them."""
    run_as_chainer("""
    send = chainer.get_device("@numpy").send
    for to in (send, cuda.to_cpu):
        for number, dtype in ((np.float32(3), "f"), (1.5, "d"), (True, "?"), (2, "l"), (np.bool_(True), "?")):
            sent = to(number)
            assert type(sent) is np.ndarray and sent.shape == () and sent.dtype == np.dtype(dtype), (number, sent)
        assert [type(x) for x in to([1.0, np.float32(2), None])] == [np.ndarray, np.ndarray, type(None)]
    assert type(F.rrelu(np.array(1.0, "f"), return_r=True)[1]) is np.ndarray
    chainer.testing.assert_allclose([1, 2], (1, 2))
    with pytest.raises(AssertionError):
        chainer.testing.assert_allclose([1, 2], (1, 3))
    """)


def test_copyto(run_as_chainer):
    run_as_chainer("""
    for source, expected in (([1, 2], [1, 2]), (3, [3, 3]), (np.float32(4), [4, 4]), (np.ones(1), [1, 1])):
        target = np.zeros(2)
        backend.copyto(target, source)
        assert target.tolist() == expected
    target = np.zeros(2, "i")
    with pytest.raises(TypeError):
        backend.copyto(target, np.ones(2))
    assert target.tolist() == [0, 0]
    with pytest.raises(TypeError):
        backend.copyto([1], np.ones(1))
    """)
