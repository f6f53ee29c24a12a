"""What Renga's functions are in ONNX: a table ``CONVERTERS`` for each family, by class of function node.

Functions that are composed of others need no entry: what they are composed of has one.
"""
