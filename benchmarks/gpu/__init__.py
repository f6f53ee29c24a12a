"""Training steps on a GPU: compares Renga on CuPy with PyTorch in eager mode: `python -m benchmarks gpu`.

- `command`: the command.
- `sizes`: sizes of networks and batches, full and tiny.
- `with_renga`, `with_torch`: the same networks and training steps with either library, from the same weights.
- `instruments`: time of a step, fraction of it in kernels, memory used.
- `timing`: times two programs in one process, in turns.

With `--minutes 40`, it collects all measurements on a GPU:

- `hour`: runs the `parts` one after another, each with its own time limit; `report`: the page with tables and pictures.
- `networks`: the compared networks; `more_with_renga`, `more_with_torch`: MLP, LSTM, a critic with a penalty.

Without a GPU, `python -m benchmarks gpu --device numpy --tiny` shows that both libraries compute the same.
"""
