"""Images (C, H, W) on the host, changed. What a function is given it never changes.

- `crop`: parts of an image. `expand`: an image in a larger canvas.
- `flip`: mirror images. `rotate`: by any angle, and by right angles.
- `resize`: to a size, to the length of an edge, or into a frame. `interpolation`: what resizing and rotating share.
- `pca_lighting`: a shift in colour.
"""
