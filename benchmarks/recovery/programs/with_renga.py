"""Renga, the communicator `resilient`: remaining ranks continue, and send their state to the replacement."""

import sys

import numpy

import renga
import renga.links as L
from benchmarks.recovery.programs.network import MLP
from benchmarks.recovery.programs.progress import Progress, examples
from renga.distributed import create_communicator
from renga_comm_base.resilience import RanksLost
from renga_distributed.transfer import transfer


def main():
    iterations = int(sys.argv[1])
    renga.random.seed(0)
    model = L.Classifier(MLP())
    optimizer = renga.optimizers.Adam().setup(model)
    communicator = create_communicator("resilient")
    change = None
    if communicator.is_spare:
        warm_up(model, optimizer)
        change = communicator.join()
        if change is None:
            return
    progress = Progress(communicator.rank)
    while optimizer.t < iterations:
        try:
            if change is not None:
                give_state(communicator, change, model, optimizer)
                change = None
                progress.started(communicator.rank)
            loss = model(*examples(numpy, optimizer.t, communicator.rank))
            model.cleargrads()
            loss.backward()
            communicator.multi_node_mean_grad(model)
            communicator.commit()
        except RanksLost:
            change = communicator.recover()
            continue
        optimizer.update()
        progress.completed(optimizer.t)


def warm_up(model, optimizer):
    """Compute a step in advance: the first step of a process takes longest. Its changes are overwritten later."""
    for _ in range(2):
        loss = model(*examples(numpy, 0, 0))
        model.cleargrads()
        loss.backward()
    optimizer.update()


def give_state(communicator, change, model, optimizer):
    """Send parameters and optimizer state to new ranks, from memory to memory."""

    def state():
        saver = renga.serializers.DictionarySerializer()
        saver["model"].save(model)
        saver["optimizer"].save(optimizer)
        return saver.target

    found = transfer(communicator, state, change.source, change.newcomers)
    if found is not None:
        loader = renga.serializers.NpzDeserializer(found)
        loader["model"].load(model)
        loader["optimizer"].load(optimizer)


main()
