"""Record and replay: a step whose graph is the same in each call, run without building it.

- `step`: `ReplayedStep`; when a call is recorded, replayed, or an ordinary one.
- `recorder`: a tracer that notes what a step does. It is made of `names` (what arrays and Variables are called in the
  program), `function_recorder` and `gradient_recorder` (forward and backward). `outcome`: where results go.
- `traced_array`: what the step sees of arrays meanwhile. `traced_gradient`: what the walk backwards sees of gradients.
- `states`: what links keep from call to call.
- `program`: what was noted, as lines of Python; comparing and running them.
- `try_lock`: a lock that Ctrl-C cannot leave locked.
"""
