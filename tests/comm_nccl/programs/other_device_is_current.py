"""A model on this rank's device, while another device is the current one, as where a program does not say any."""

import cupy
import numpy as np

import renga
import renga.links as L
from renga.distributed import AllreducePersistent, create_communicator, create_multi_node_optimizer
from renga.optimizers import SGD

comm = create_communicator("pure_nccl")
cupy.cuda.Device(1 - comm.intra_rank).use()
random = np.random.default_rng(comm.rank)
model = renga.Sequential(L.Linear(6, 16, initialW=random.normal(size=(16, 6))), L.BatchNormalization(16))
model.to_device(f"cupy:{comm.intra_rank}")
optimizer = create_multi_node_optimizer(SGD(0.1), comm).setup(model)
for _ in range(8):
    x = model.device.send(random.normal(size=(4, 6)).astype(np.float32))
    optimizer.update(lambda x: renga.functions.mean(model(x) ** 2), x)
    AllreducePersistent(model, comm)()
    held = [param.array.get().tobytes() for _, param in sorted(model.namedparams())]
    held += [model[1].avg_mean.get().tobytes(), model[1].avg_var.get().tobytes()]
    assert all(one == held for one in comm.allgather_obj(held)), "all ranks hold the same"
assert cupy.cuda.Device().id == 1 - comm.intra_rank
print("done")
