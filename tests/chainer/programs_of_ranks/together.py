"""What ranks do together: collectives of arrays, of objects and of variables, batch normalization, checkpoints."""
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import chainermn.functions as MF
import numpy as np


def show(comm, what, value):
    found = comm.gather_obj(value)
    if comm.rank == 0:
        print(what, found)


def communicator(comm):
    show(comm, 'ranks', (comm.rank, comm.size, comm.intra_rank, comm.intra_size, comm.inter_rank, comm.inter_size))
    x = np.arange(3, dtype=np.float32) * (comm.rank + 1)
    show(comm, 'bcast', comm.bcast(x if comm.rank == 0 else None).tolist())
    show(comm, 'allgather', [y.tolist() for y in comm.allgather(x)])
    show(comm, 'alltoall', [y.tolist() for y in comm.alltoall((x, x + 1))])
    show(comm, 'allreduce', comm.allreduce(x).tolist())
    show(comm, 'scatter', comm.scatter([x, x * 2] if comm.rank == 0 else None, 0).tolist())
    gathered = comm.gather(x, 0)
    show(comm, 'gather', None if gathered is None else [y.tolist() for y in gathered])
    if comm.rank == 0:
        comm.send_obj({'a': 1}, dest=1)
        comm.send((x, x), dest=1, tag=2)
        show(comm, 'received', None)
    else:
        a = comm.recv_obj(source=0)
        b = comm.recv(source=0, tag=2)
        show(comm, 'received', (a, [y.tolist() for y in b]))
    show(comm, 'objects', (comm.bcast_obj('root' if comm.rank == 0 else None), comm.allreduce_obj(comm.rank + 1)))
    part = comm.split(comm.rank, 0)
    show(comm, 'split', (part.rank, part.size))


def functions(comm):
    x = chainer.Variable(np.arange(3, dtype=np.float32) + comm.rank + 1)
    calls = {
        'allgather': lambda: MF.allgather(comm, x),
        'alltoall': lambda: MF.alltoall(comm, [x, x * 2]),
        'bcast': lambda: [MF.bcast(comm, x)] if comm.rank == 0 else [MF.bcast(comm, None)],
        'gather': lambda: MF.gather(comm, x) if comm.rank == 0 else [MF.gather(comm, x)],
        'scatter': lambda: [MF.scatter(comm, [x, x ** 2] if comm.rank == 0 else None)],
    }
    for name in sorted(calls):
        x.cleargrad()
        ys = calls[name]()
        sum(F.sum(y ** 2) * (i + 1) for i, y in enumerate(ys)).backward()
        none = x.grad is None or not x.grad.any()
        show(comm, name, ([y.array.tolist() for y in ys], None if none else x.grad.tolist()))


def batch_normalization(comm):
    model = chainer.Sequential(L.Linear(3, 4), L.BatchNormalization(4), F.relu, L.Linear(4, 2))
    model = chainermn.links.create_mnbn_model(model, comm)
    show(comm, 'links', [type(link).__name__ for link in model])
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.MomentumSGD(0.1), comm).setup(model)
    rng = np.random.RandomState(comm.rank)
    for _ in range(6):
        x = rng.normal(size=(5, 3)).astype(np.float32)
        optimizer.update(lambda: F.mean(model(x) ** 2))
    for name, param in sorted(model.namedparams()):
        show(comm, name, (float(param.array.sum()), float(abs(param.array).sum())))
    show(comm, 'mean', model[1].avg_mean.tolist())
    return model, optimizer


def checkpoints(comm, model, optimizer):
    folder = comm.bcast_obj(tempfile.mkdtemp() if comm.rank == 0 else None)
    data = [(np.float32(i),) for i in range(10)]
    iterator = chainer.iterators.SerialIterator(data, 2, shuffle=False)
    updater = chainer.training.StandardUpdater(
        iterator, optimizer, loss_func=lambda x: F.sum(model[3](F.concat([F.expand_dims(x, 1)] * 4)) ** 2))
    trainer = chainer.training.Trainer(updater, (4, 'iteration'), out=folder)
    checkpointer = chainermn.create_multi_node_checkpointer(name='x', comm=comm, path=folder)
    trainer.extend(checkpointer, trigger=(2, 'iteration'))
    trainer.run()
    checkpointer(trainer)  # once more: when training has ended well, it tidies up
    before = model[3].W.array.copy()
    model[3].W.array[...] = 0
    again = chainermn.create_multi_node_checkpointer(name='x', comm=comm, path=folder)
    again.maybe_load(trainer, optimizer)
    show(comm, 'loaded', (updater.iteration, bool((model[3].W.array == before).all())))


if __name__ == '__main__':
    comm = chainermn.create_communicator('naive')
    np.random.seed(comm.rank)
    communicator(comm)
    functions(comm)
    model, optimizer = batch_normalization(comm)
    checkpoints(comm, model, optimizer)
