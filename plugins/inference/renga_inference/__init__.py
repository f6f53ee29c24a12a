"""Inference: a model becomes a list of steps, which are computed without a graph and without the model.

- `freezing`: `inference`, for users. `frozen`: `FrozenModel`, its result. `storing`: files of frozen models.
- `recording`: one run of a model. `comparing`: several runs become one `program`. `sizes`: what follows from the size
  of the batch.
- `folding`, `fusing`: reduce the number of steps. `lowering`: translates functions for an engine.
- `plan`: a program for one size of the batch; `memory`: where arrays lie; `kernel_steps`: what no engine computes.
- `constants`: weights, of which there is one copy. `pieces`: how large batches are divided. `checking`: against the
  model.
- `engine`: the protocol of engines, which compute steps; a kernel names its own engine. `encoding`: JSON.

How to use it: docs/how-to/freeze-a-model.md. Nothing is imported here.
"""
