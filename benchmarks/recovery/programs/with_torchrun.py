"""PyTorch under ``torchrun``: all processes are started again from the last checkpoint (every ten iterations)."""

import os
import sys
from itertools import pairwise

import numpy
import torch
import torch.distributed as dist
from torch import nn

from benchmarks.recovery.programs.progress import WIDTHS, Progress, examples

EVERY = 10


def main():
    path, iterations = os.path.join(os.environ["RECOVERY_FOLDER"], "checkpoint.pt"), int(sys.argv[1])
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    progress = Progress(rank)
    torch.manual_seed(0)
    layers = [nn.Linear(a, b) for a, b in pairwise(WIDTHS)]
    network = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    optimizer, begin = torch.optim.Adam(network.parameters()), 0
    if os.path.exists(path):
        state = torch.load(path)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        begin = state["iteration"]
    trained = nn.parallel.DistributedDataParallel(network)
    for iteration in range(begin, iterations):
        x, t = map(torch.from_numpy, examples(numpy, iteration, rank))
        optimizer.zero_grad()
        nn.functional.cross_entropy(trained(x), t).backward()
        optimizer.step()
        progress.completed(iteration + 1)
        if (iteration + 1) % EVERY == 0 and rank == 0:
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "iteration": iteration + 1}
            torch.save(state, path + ".new")
            os.replace(path + ".new", path)
    dist.destroy_process_group()


main()
