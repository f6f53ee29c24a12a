"""Renga, the communicator `resilient`: the ranks that are left go on, and give their state to who takes the place."""

import sys

import numpy

import renga
import renga.links as L
from benchmarks.recovery.programs.network import MLP
from benchmarks.recovery.programs.progress import Progress, examples
from renga.distributed import create_communicator
from renga_comm_base.resilience import RanksLost


def main():
    iterations = int(sys.argv[1])
    renga.random.seed(0)
    model = L.Classifier(MLP())
    optimizer = renga.optimizers.Adam().setup(model)
    communicator = create_communicator("resilient")
    change = None
    if communicator.is_spare:
        warm_up(model)
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


def warm_up(model):
    """Compute once while there is time: the first step of a process takes longest."""
    for _ in range(2):
        loss = model(*examples(numpy, 0, 0))
        model.cleargrads()
        loss.backward()


def give_state(communicator, change, model, optimizer):
    """Those who are new get the parameters and the state of the optimizer, from memory to memory."""
    if not change.newcomers:
        return
    saver = renga.serializers.DictionarySerializer()
    if communicator.rank == change.source:
        saver["model"].save(model)
        saver["optimizer"].save(optimizer)
    state = communicator.bcast_obj(saver.target, root=change.source)
    if communicator.rank in change.newcomers:
        loader = renga.serializers.NpzDeserializer(state)
        loader["model"].load(model)
        loader["optimizer"].load(optimizer)


main()
