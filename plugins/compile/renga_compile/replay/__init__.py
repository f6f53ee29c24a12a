"""Record and replay: runs a step with a constant graph without building the graph.

- `step`: `ReplayedStep`; decides whether a call is recorded, replayed, or an ordinary call.
- `recorder`: a tracer that records a step. Its parts: `names` (names of arrays and Variables in the program),
  `function_recorder` and `gradient_recorder` (forward and backward). `outcome`: the results.
- `traced_array`: replaces arrays for the step during recording. `traced_gradient`: replaces gradients in backward.
- `states`: state of links between calls.
- `program`: the record, as lines of Python; compares and runs programs.
- `try_lock`: a lock that Ctrl-C cannot leave locked.
"""
