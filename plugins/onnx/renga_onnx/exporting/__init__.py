"""Out: from a network to a file of ONNX.

`network`: what users call. `recording`: runs. `sizes`: which sizes depend on named axes. `context`: names and nodes of
the graph. `call`: one function, as its converter sees it. `conversion`: from runs to a graph.
"""
