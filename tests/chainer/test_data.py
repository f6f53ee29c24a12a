"""Iterators and data sets as programs of Chainer's use them."""


def test_copies_and_pickles_of_iterators(run_as_chainer):
    """A copy shares its order sampler, which may hold what cannot be copied; a pickle has the state only."""
    run_as_chainer("""
    import copy, pickle, threading

    class Sampler:
        def __init__(self):
            self.lock = threading.Lock()

        def order(self, order, position):
            return np.random.permutation(3)

    sampler = Sampler()
    iterator = iterators.SerialIterator([1, 2, 3], 1, repeat=False, order_sampler=sampler.order)
    twin = copy.copy(iterator)
    assert sorted(sum(twin, [])) == [1, 2, 3]
    assert twin.order_sampler is iterator.order_sampler
    iterator = iterators.MultiprocessIterator([1, 2, 3, 4], 2, n_processes=1)
    first = iterator.next()
    other = pickle.loads(pickle.dumps(iterator))
    assert sorted(first + other.next()) == [1, 2, 3, 4]
    iterator.finalize()
    other.finalize()
    assert issubclass(iterators.MultiprocessIterator.TimeoutWarning, RuntimeWarning)
    """)


def test_loops_over_data_sets(run_as_chainer):
    """IndexError ends one, as in Chainer; StopIteration does not, which there hides the rest of the data."""
    run_as_chainer("""
    class Three(chainer.dataset.DatasetMixin):
        def __len__(self):
            return 100

        def get_example(self, i):
            if i >= 3:
                raise IndexError
            return i

    assert list(Three()) == [0, 1, 2]

    class Ending(Three):
        def get_example(self, i):
            return next(iter([array(2)] if i < 30 else []))

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(Ending())
    link = L.Classifier(L.Linear(2, 2), lossfun=lambda y, t: F.sum(y), accfun=lambda y, t: F.sum(y))
    data = chainer.datasets.TransformDataset(Ending(), lambda x: (x, np.int32(0)))
    evaluator = extensions.Evaluator(iterators.SerialIterator(data, 10, repeat=False, shuffle=False), link)
    with pytest.raises(RuntimeError, match="example 30 of a TransformDataset raised StopIteration"):
        evaluator()
    """)


def test_columns_and_files(run_as_chainer):
    run_as_chainer("""
    import io, os, pickle, tempfile
    from chainer.dataset import tabular
    from chainer.datasets import PickleDataset, PickleDatasetWriter, TextDataset

    d = tabular.from_data((("a", np.arange(3)), ("b", np.arange(3))))
    w = d.with_converter(lambda *a, **k: (len(a), sorted(k)))
    assert w.convert(w.fetch()) == (2, [])
    assert tabular.DelegateDataset(d).dataset is d
    with pytest.raises(ValueError):
        d.slice[[True, False]]
    file = io.BytesIO()
    writer = PickleDatasetWriter(file)
    writer.write(1)
    writer.write(2)
    file.seek(0)
    assert pickle.loads(pickle.dumps(PickleDataset(file)))[1] == 2
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.txt"), "w") as text:
            text.write("a\\nb\\n")
        lines = TextDataset(text.name)
        lines.close()
        with pytest.raises(ValueError):
            lines[0]
    """)


def test_small_files_that_would_take_much_memory(run_as_chainer):
    run_as_chainer("""
    import os, tempfile, tracemalloc
    from chainer import serializers

    class One(chainer.Link):
        def __init__(self, value):
            super().__init__()
            self.value = value

        def serialize(self, serializer):
            self.value = serializer("value", self.value)

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "one.npz")
        np.savez_compressed(file, value=np.zeros(1 << 27, np.int8))
        tracemalloc.start()
        for value in (np.zeros(3, np.int8), None, 0):
            with pytest.raises(ValueError):
                serializers.load_npz(file, One(value))
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    """)
