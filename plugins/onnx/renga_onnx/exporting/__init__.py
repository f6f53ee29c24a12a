"""Out: from a network to a file of ONNX.

`network`: what users call. `recording`: runs. `sizes`: which sizes depend on named axes, or on values. `context`: names
and nodes of the graph. `call`: one function, as its converter sees it; `writer`: the part of it that writes nodes.
`conversion`: from runs to a graph.
"""
