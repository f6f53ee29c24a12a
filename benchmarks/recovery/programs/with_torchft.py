"""torchft: survivors continue with fewer replicas; a restarted one joins again. One replica per process."""

import os
import sys
from itertools import pairwise

import numpy
import torch
import torch.distributed as dist
from torch import nn
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

from benchmarks.recovery.programs.progress import WIDTHS, Progress, examples


def main():
    iterations, rank = int(sys.argv[1]), int(os.environ["RECOVERY_RANK"])
    progress = Progress(rank)
    torch.manual_seed(0)
    layers = [nn.Linear(a, b) for a, b in pairwise(WIDTHS)]
    network = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    plain = torch.optim.Adam(network.parameters())

    def load(state):
        network.load_state_dict(state["network"])
        plain.load_state_dict(state["optimizer"])

    store = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=load,
        state_dict=lambda: {"network": network.state_dict(), "optimizer": plain.state_dict()},
        min_replica_size=2,
        replica_id=f"replica_{rank}",
        store_addr="localhost",
        store_port=store.port,
        rank=0,
        world_size=1,
    )
    trained, optimizer = DistributedDataParallel(manager, network), Optimizer(manager, plain)
    while manager.current_step() < iterations:
        optimizer.zero_grad()  # begins a quorum
        x, t = map(torch.from_numpy, examples(numpy, manager.current_step(), rank))
        nn.functional.cross_entropy(trained(x), t).backward()
        optimizer.step()  # if all replicas agree
        progress.completed(manager.current_step())
    manager.shutdown()


main()
