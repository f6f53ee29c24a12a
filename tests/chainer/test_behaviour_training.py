"""Trainers and extensions under `import chainer`."""


def test_polynomial_shift_with_a_negative_rate(run_as_chainer):
    run_as_chainer("""
    from unittest import mock
    trainer, optimizer = mock.Mock(), mock.Mock(x=2.)
    shift = extensions.PolynomialShift("x", -1., 4, optimizer=optimizer, target=5.)
    shift.initialize(trainer)
    values = [optimizer.x]
    for _ in range(3):
        shift(trainer)
        values.append(optimizer.x)
    np.testing.assert_allclose(values, [2, 8 / 3, 4, 5])
    """)


def test_functions_made_extensions_stay_functions(run_as_chainer):
    run_as_chainer("""
    def plain(trainer):
        pass

    assert training.make_extension(trigger=(1, "epoch"))(plain) is plain
    assert (plain.initialize, plain.finalize, plain.on_error) == (None, None, None)
    assert (plain.trigger, plain.default_name, plain.priority) == ((1, "epoch"), "plain", training.PRIORITY_READER)

    calls = []
    note = lambda what: lambda *arguments: calls.append(what)
    on_error, initializer, finalizer = map(note, ("error", "begin", "end"))

    @training.make_extension(initializer=initializer, finalizer=finalizer, on_error=on_error, default_name="mine")
    def extension(trainer):
        calls.append("call")
        raise ZeroDivisionError

    assert extension.initialize is initializer and extension.finalize is finalizer and extension.on_error is on_error
    model = L.Linear(1, 1)
    optimizer = chainer.optimizers.SGD().setup(model)
    updater = training.StandardUpdater(
        chainer.iterators.SerialIterator(np.ones((1, 1), "f"), 1), optimizer, loss_func=lambda x: F.sum(model(x)))
    trainer = training.Trainer(updater, (1, "iteration"))
    trainer.extend(plain)
    trainer.extend(extension)
    assert trainer.get_extension("mine") is extension
    with raises(ZeroDivisionError):
        trainer.run()
    assert calls == ["begin", "call", "error", "end"]
    with raises_regex(ValueError, "initializer="):
        training.make_extension(invoke_before_training=True)
    with raises(TypeError):
        training.make_extension(other=True)
    """)


def test_the_older_name_of_a_pictures_file(run_as_chainer):
    run_as_chainer("""
    link = L.Linear(2, 2)
    for given, expected in (
        ({}, "statistics.png"), ({"file_name": "a.png"}, "a.png"), ({"filename": "b.png"}, "b.png"),
        ({"filename": "b.png", "file_name": "a.png"}, "b.png"),
    ):
        assert extensions.VariableStatisticsPlot(link, 1000, **given)._filename == expected
    """)
