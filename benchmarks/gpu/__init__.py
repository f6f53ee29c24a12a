"""Training steps on a GPU, Renga on CuPy beside PyTorch in eager mode: `python -m benchmarks gpu`.

- `command`: what the command does.
- `sizes`: how large networks and batches are, in full and tiny.
- `with_renga`, `with_torch`: the same networks and training steps with either library, from the same weights.
- `instruments`: time of a step, share of it in kernels, memory taken.
- `timing`: two programs in one process, in turn.

With `--minutes 40`, everything that a GPU has to tell:

- `hour`: runs the `parts` one after another, each with a limit of its own; `report`: the page with tables and pictures.
- `networks`: what is trained side by side; `more_with_renga`, `more_with_torch`: MLP, LSTM, a critic with a penalty.

Without a GPU, `python -m benchmarks gpu --device numpy --tiny` shows that both libraries do the same.
"""
