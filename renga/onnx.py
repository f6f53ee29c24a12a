"""ONNX: `export` writes a network to an ONNX file, `load` makes a link from an ONNX file.

`pip install 'renga[onnx]'` installs the requirements.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, {})
