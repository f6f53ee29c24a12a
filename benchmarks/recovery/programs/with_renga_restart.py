"""Renga: all ranks end, and are started again from the last checkpoint; there is one every ten iterations."""

import os
import sys

import numpy

import renga
import renga.links as L
from benchmarks.recovery.programs.network import MLP
from benchmarks.recovery.programs.progress import Progress, examples
from renga.distributed import create_communicator, create_multi_node_optimizer

EVERY = 10


def main():
    path, iterations = os.path.join(os.environ["RECOVERY_FOLDER"], "checkpoint.npz"), int(sys.argv[1])
    communicator = create_communicator("flat")
    progress = Progress(communicator.rank)
    renga.random.seed(0)
    model = L.Classifier(MLP())
    optimizer = create_multi_node_optimizer(renga.optimizers.Adam(), communicator).setup(model)
    begin = 0
    if os.path.exists(path):
        renga.serializers.load_npz(path, optimizer, path="optimizer")
        renga.serializers.load_npz(path, model, path="model")
        begin = optimizer.t
    for iteration in range(begin, iterations):
        optimizer.update(model, *examples(numpy, iteration, communicator.rank))
        progress.completed(iteration + 1)
        if (iteration + 1) % EVERY == 0 and communicator.rank == 0:
            with renga.serializers.atomic_write(path) as file:
                saver = renga.serializers.DictionarySerializer()
                saver["model"].save(model)
                saver["optimizer"].save(optimizer)
                numpy.savez(file, **saver.target)


main()
