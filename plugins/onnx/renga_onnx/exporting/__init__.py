"""Export of a network to an ONNX file.

`network`: the functions for users. `recording`: runs the network. `sizes`: finds sizes that depend on named axes or on
values. `context`: names and nodes of the graph. `call`: one function for its converter; `writer`: its methods that
write nodes. `conversion`: turns runs into a graph.
"""
