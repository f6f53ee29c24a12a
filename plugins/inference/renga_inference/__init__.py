"""Inference: a model becomes a list of steps, which are computed without a graph and without the model.

- `freezing`: `inference`, which users call. `frozen`: `FrozenModel`, what it returns. `storing`: files of these.
- `recording`: one run of a model. `comparing`: several runs become one `program`. `sizes`: what follows from the size
  of the batch.
- `folding`, `fusing`: fewer steps. `lowering`: what functions are to an engine.
- `plan`: a program for one size of the batch; `memory`: where arrays lie. `checking`: against the model.
- `engine`: what computes steps; a kernel names its own, so that others can be plugged in. `encoding`: JSON.

How to use it: docs/how-to/freeze-a-model.md. Nothing is imported here.
"""
