"""Vision networks, predictions and training steps, with Renga's and with torchvision's models. NumPy 1.23 or newer.

`data`: pictures with objects, boxes to suppress, and weights: the same numbers for both. `recipes`: the mapping from
torchvision's weights to those of Renga's detectors. `with_renga`, `with_torch`: the programs; see
`benchmarks.programs`.
"""
