"""A program for ChainerMN: each rank a GPU of its own, gradients by NCCL in 16 bits, double buffering."""

import sys

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import cupy
import numpy as np
from chainermn.communicators.pure_nccl_communicator import PureNcclCommunicator


class Network(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(6, 16)
            self.out = L.Linear(16, 3)

    def forward(self, x):
        return self.out(F.tanh(self.hidden(x)))


def examples(count):
    random = np.random.RandomState(3)
    labels = random.randint(0, 3, count).astype(np.int32)
    inputs = random.normal(size=(count, 6)).astype(np.float32)
    inputs[np.arange(count), labels] += 3
    return chainer.datasets.TupleDataset(inputs, labels)


def main():
    grad_dtype = None if sys.argv[1] == "None" else sys.argv[1]
    comm = chainermn.create_communicator("pure_nccl", allreduce_grad_dtype=grad_dtype)
    assert isinstance(comm, PureNcclCommunicator), type(comm)
    device = chainer.get_device(f"@cupy:{comm.intra_rank}")
    device.use()
    assert cupy.cuda.Device().id == comm.intra_rank, "from now on, as in Chainer"
    with chainer.get_device(f"@cupy:{1 - comm.intra_rank}").use():
        assert cupy.cuda.Device().id == 1 - comm.intra_rank
    assert cupy.cuda.Device().id == comm.intra_rank
    np.random.seed(comm.rank)  # parameters become those of rank 0
    model = L.Classifier(Network())
    model.to_device(device)
    optimizer = chainermn.create_multi_node_optimizer(
        chainer.optimizers.MomentumSGD(0.05), comm, double_buffering=sys.argv[2] == "double"
    )
    optimizer.setup(model)
    data = chainermn.scatter_dataset(examples(240) if comm.rank == 0 else None, comm, shuffle=True, seed=1)
    updater = chainer.training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(data, 20, shuffle=False), optimizer, device=device
    )
    trainer = chainer.training.Trainer(updater, (8, "epoch"), out=sys.argv[3])
    evaluator = chainer.training.extensions.Evaluator(
        chainer.iterators.SerialIterator(data, 20, repeat=False, shuffle=False), model, device=device
    )
    trainer.extend(chainermn.create_multi_node_evaluator(evaluator, comm))
    trainer.run()
    evaluator = chainermn.create_multi_node_evaluator(evaluator, comm)
    accuracy = float(evaluator()["validation/main/accuracy"])
    weights = [chainer.cuda.to_cpu(param.array).tobytes() for _, param in sorted(model.namedparams())]
    same = all(one == weights for one in comm.allgather_obj(weights))
    if comm.rank == 0:
        print(f"accuracy {accuracy:.3f}, ranks {'agree' if same else 'differ'}")


main()
