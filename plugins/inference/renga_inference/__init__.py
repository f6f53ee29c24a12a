"""Inference: turns a model into a list of steps, which run without a graph and without the model.

- `freezing`: `inference`, for users. `frozen`: `FrozenModel`, its result. `storing`: files of frozen models.
- `recording`: one run of a model. `comparing`: combines several runs into one `program`. `sizes`: sizes that depend on
  the batch.
- `folding`, `fusing`: reduce the number of steps. `lowering`: translates functions for an engine.
- `plan`: a program for one batch size; `memory`: places of arrays; `kernel_steps`: steps without an engine.
- `constants`: weights, with one copy of each. `pieces`: division of large batches. `checking`: comparison with the
  model.
- `engine`: the protocol of engines, which compute steps; a kernel names its own engine. `encoding`: JSON.

How to use it: docs/how-to/freeze-a-model.md. Nothing is imported here.
"""
