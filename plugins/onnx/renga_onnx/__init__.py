"""ONNX, out and in: a network as a file that other programs run, and the other way round.

- `load/`: in. Its guide says more.
- `plugin`: what this package offers to Renga. Listing it imports neither onnx nor NumPy.
"""
