"""Base classes that programs derive from, under `import chainer`."""


def test_base_classes_are_plain(run_as_chainer):
    run_as_chainer("""
    class Data(chainer.dataset.DatasetMixin):
        def __len__(self):
            return 2
        def __getitem__(self, i):
            return i * 10

    class Batches(chainer.dataset.Iterator):
        def next(self):
            return [1]

    class Updater(training.Updater):
        updates = 0
        def update(self):
            self.updates += 1

    assert Data()[1] == 10 and Batches().next() == [1]
    updater = Updater()
    updater.update()
    assert updater.updates == 1
    for call in (
        lambda: Data().get_example(0), lambda: len(chainer.dataset.DatasetMixin()), lambda: next(Batches()),
        lambda: updater.get_optimizer("main"), updater.get_all_optimizers, lambda: updater.serialize(None),
        lambda: chainer.dataset.Converter()([], None), lambda: chainer.iterators.OrderSampler()(None, 0),
        lambda: chainer.Serializer()("a", 1), lambda: chainer.Deserializer()["a"],
        lambda: chainer.AbstractSerializer()("a", 1), lambda: chainer.dataset.TabularDataset().keys,
        lambda: chainer.dataset.TabularDataset().mode,
        lambda: chainer.dataset.TabularDataset().get_examples(None, None),
    ):
        with raises(NotImplementedError):
            call()
    """)


def test_a_slice_of_a_sequential_is_a_list(run_as_chainer):
    run_as_chainer("""
    model = chainer.Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 2))
    assert model[:2] == [model[0], F.relu] and model[1:] + [F.tanh] == [F.relu, model[2], F.tanh]
    assert len(chainer.Sequential(*model[:-1])) == 2
    """)


def test_a_file_with_nothing_of_the_object_is_a_key_error(run_as_chainer):
    run_as_chainer("""
    serializers.save_npz("a.npz", chainer.Chain(a=L.Linear(2, 2)))
    serializers.save_hdf5("a.h5", chainer.Chain(a=L.Linear(2, 2)))
    for load, file in ((serializers.load_npz, "a.npz"), (serializers.load_hdf5, "a.h5")):
        with raises(KeyError) as caught:
            load(file, chainer.Chain(other=L.Linear(2, 2)))
        assert str(caught.exception).startswith(file + ": has a/W"), caught.exception
    """)
