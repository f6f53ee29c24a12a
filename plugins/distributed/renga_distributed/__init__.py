"""Training with several processes.

- `create`: `create_communicator`, by registered name.
- `single`: the communicator of a single process; it needs no other package.
- `threads`: ranks that are threads of one process, for debugging and tests; `rendezvous`: their meeting points.
- `datasets`: dividing a data set among ranks. `iterators`: the same examples on all ranks.
- `extensions`: evaluators, observations, early stopping, snapshots, the learning rate for large batches.
- `optimizers`: one optimizer on all ranks: gradients averaged after backward, during backward, or during the next
  batch; weighted by examples; sharded state.
- `functions`: differentiable communication, for model parallelism. `links`: links that communicate: models on several
  ranks, batch normalization over all ranks.
- `recovery`: training that continues when ranks die. `transfer`: sends a state to new ranks. `simulation`: schedules of
  failures. `scale_model`: predicts the time of an iteration on more devices.
- `plugin`: the providers of this package.

This module imports nothing, so that reading the plugin's description is cheap.
"""
