"""Vision networks, predictions and training steps, with Renga's and with torchvision's models. NumPy 1.23 or newer.

`data`: pictures with objects, boxes to suppress, and weights: the same numbers for both. `recipes`: where Renga's
detectors find the weights of torchvision's. `with_renga`, `with_torch`: the programs; see `benchmarks.programs`.
"""
