"""Weights that other programs have trained, as Renga's networks take them.

- `convert`: `convert_weights`, from a file to a file. `command`: the same as ``renga weights convert``.
- `recipe`: `Recipe`, which arrays of a file are which of a network; `RECIPES`, those there are.
- `torchvision`: torchvision's classifiers.

What is written has, beside the network's own values, ``arguments/mean`` and the like: arguments of the class that the
weights need. `renga_cv.utils.pretrained` reads them.
"""
