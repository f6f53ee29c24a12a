"""Training by several processes.

- `create`: `create_communicator`, by registered name.
- `single`: the communicator of a process that is alone; it needs nothing installed.
- `threads`: ranks that are threads of one process, for debugging and tests; `rendezvous` is how they meet.
- `datasets`: each rank's part of a data set. `iterators`: the same examples on all ranks.
- `extensions`: evaluators, observations, early stopping, snapshots, the learning rate for large batches.
- `optimizers`: one optimizer on all ranks: gradients averaged after backward or while it runs, late, by examples; state
  in shares.
- `functions`: communication through which gradients flow, for model parallelism. `links`: links that
  communicate: models on several ranks, batch normalization over all of them.
- `recovery`: training that goes on when ranks die. `transfer`: a state for ranks that have none. `simulation`:
  schedules of deaths. `scale_model`: how long an iteration takes with more devices.
- `plugin`: what this package provides, for the plugin manager.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""
