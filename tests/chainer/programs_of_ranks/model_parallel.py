"""A model of which two ranks hold parts: MultiNodeChainList, an RNN in pieces, delegate variables, iterators."""
import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np


class Layers(chainer.Chain):

    def __init__(self, n_in, n_units, n_out):
        super(Layers, self).__init__(
            l1=L.Linear(n_in, n_units),
            l2=L.Linear(n_units, n_out))

    def __call__(self, x):
        return self.l2(F.tanh(self.l1(x)))


class Model0(chainermn.MultiNodeChainList):

    def __init__(self, comm):
        super(Model0, self).__init__(comm=comm)
        self.add_link(Layers(6, 5, 4), rank_in=None, rank_out=1)
        self.add_link(Layers(3, 5, 3), rank_in=1, rank_out=None)


class Model1(chainermn.MultiNodeChainList):

    def __init__(self, comm):
        super(Model1, self).__init__(comm=comm)
        self.add_link(Layers(4, 5, 3), rank_in=0, rank_out=0)


def split_classifier(comm):
    rng = np.random.RandomState(1)
    x = rng.normal(size=(32, 6)).astype(np.float32)
    t = rng.randint(0, 3, 32).astype(np.int32)
    data = chainer.datasets.TupleDataset(x, t)
    if comm.rank == 0:
        model = L.Classifier(Model0(comm))
    else:
        model = Model1(comm)
        data = chainermn.datasets.create_empty_dataset(data)
    optimizer = chainer.optimizers.SGD(0.1)
    optimizer.setup(model)
    iterator = chainer.iterators.SerialIterator(data, 8, shuffle=False)
    updater = chainer.training.StandardUpdater(iterator, optimizer)
    for _ in range(8):
        updater.update()
    print_all(comm, 'split', model)
    if comm.rank == 0:
        print('loss', float(model.loss.array))


def pieces_of_sequences(comm):
    ranks = (None, 1) if comm.rank == 0 else (0, None)
    model = chainermn.links.create_multi_node_n_step_rnn(L.NStepLSTM(1, 3, 4, 0.), comm, *ranks)
    rng = np.random.RandomState(comm.rank)
    xs = [rng.normal(size=(n, 3)).astype(np.float32) for n in (4, 2)]
    model.cleargrads()
    hy, cy, ys, delegate = model(xs)
    if comm.rank == 0:
        print('delegate', delegate.shape)
        delegate.backward()
    else:
        F.sum(hy * cy).backward()
    print_all(comm, 'rnn', model)


def by_hand(comm):
    other = 1 - comm.rank
    x = chainer.Variable(np.arange(4, dtype=np.float32) + comm.rank)
    if comm.rank == 0:
        sent = chainermn.functions.send((x, x * 2), comm, other, tag=3)
        y = chainermn.functions.recv(comm, other, delegate_variable=sent)
        loss = F.sum(y ** 2)
    else:
        a, b = chainermn.functions.recv(comm, other, tag=3)
        sent = chainermn.functions.send(a * b * x, comm, other)
        loss, = chainermn.functions.pseudo_connect(sent, F.sum(x))
    loss.backward()
    for rank, grad in enumerate(comm.allgather(x.grad)):
        if comm.rank == 0:
            print('grad of', rank, grad.tolist())


def iterators(comm):
    data = [(np.float32(i), np.int32(2 * i)) for i in range(7)]
    # What ChainerMN sends to other ranks are numbers of other types; sums are the same.
    iterator = chainermn.iterators.create_multi_node_iterator(
        chainer.iterators.SerialIterator(data, 3, repeat=False, shuffle=False) if comm.rank == 0 else None, comm)
    sums = [(float(sum(x for x, _ in batch)), int(sum(t for _, t in batch))) for batch in iterator]
    np.random.seed(comm.rank)
    iterator = chainermn.iterators.create_synchronized_iterator(
        chainer.iterators.SerialIterator(list(range(7)), 3), comm)
    orders = [list(iterator.next()) for _ in range(5)]
    found = comm.gather_obj((sums, orders))
    if comm.rank == 0:
        print('iterators', found)


def print_all(comm, what, model):
    found = comm.gather_obj([
        (name, float(param.array.sum()), float(param.grad.sum())) for name, param in sorted(model.namedparams())])
    for rank, entries in enumerate(found or []):
        for entry in entries:
            print(what, rank, *entry)


if __name__ == '__main__':
    comm = chainermn.create_communicator('naive')
    np.random.seed(comm.rank)
    split_classifier(comm)
    pieces_of_sequences(comm)
    by_hand(comm)
    iterators(comm)
