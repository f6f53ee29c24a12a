"""ONNX, out and in: `export` writes a network as an ONNX file, `load` makes a link of one.

`pip install 'renga[onnx]'` installs what it needs.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, {})
