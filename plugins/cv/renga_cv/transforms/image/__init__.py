"""Transforms of images (C, H, W) on the host. They never change their arguments.

- `crop`: crops. `expand`: place an image on a larger canvas.
- `flip`: mirror images. `rotate`: by any angle, and by right angles.
- `resize`: to a size, to the length of an edge, or into a frame. `interpolation`: shared code of resizing and rotating.
- `pca_lighting`: add random colour shifts.
"""
