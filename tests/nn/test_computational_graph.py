import re

import numpy as np
import pytest

from renga_core.graph import FunctionNode, Variable, grad
from renga_nn.computational_graph import DotNode, build_computational_graph

NODE = re.compile(r'^(n\d+) \[((?:\w+="(?:[^"\\]|\\.)*"(?:, )?)+)\];$')
EDGE = re.compile(r"^(n\d+) -> (n\d+);$")
ATTRIBUTE = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def parse(text):
    """Nodes with their attributes, and edges, of a DOT text; every line must be one of those we know."""
    lines = text.splitlines()
    assert lines[0] == "digraph graphname {"
    assert lines[-1] == "}"
    nodes, edges, rest = {}, [], []
    for line in lines[1:-1]:
        if node := NODE.match(line):
            assert node[1] not in nodes
            nodes[node[1]] = dict(ATTRIBUTE.findall(node[2]))
        elif edge := EDGE.match(line):
            edges.append((edge[1], edge[2]))
        else:
            rest.append(line)
    assert len(rest) == 1
    assert all(end in nodes for edge in edges for end in edge)
    return nodes, edges, rest[0]


def labels(text):
    nodes, edges, _ = parse(text)
    return sorted((nodes[a]["label"], nodes[b]["label"]) for a, b in edges)


def test_a_small_graph():
    x, w = Variable(np.ones((2, 3), np.float32), name="x"), Variable(np.ones(3, np.float32), name="w")
    y = (x * w).sum()
    text = build_computational_graph([y]).dump()
    assert labels(text) == [
        ("(2, 3), float32", "Sum"),
        ("Multiply", "(2, 3), float32"),
        ("Sum", "float32"),
        ("w: (3,), float32", "Multiply"),
        ("x: (2, 3), float32", "Multiply"),
    ]
    nodes, _, direction = parse(text)
    assert direction == "rankdir=TB;"
    assert {n["shape"] for n in nodes.values() if "float32" in n["label"]} == {"octagon"}
    assert {n["shape"] for n in nodes.values() if "float32" not in n["label"]} == {"record"}


def test_without_variables_and_names():
    x = Variable(np.ones(2), name="x")
    h = x * x
    y = h + h
    assert labels(build_computational_graph(y, remove_variable=True).dump()) == [("Multiply", "Add")] * 2
    assert "x:" not in build_computational_graph(y, show_name=False).dump()
    assert "x:" in build_computational_graph(y).dump()


def test_styles_and_direction():
    y = Variable(np.ones(2)) * 2
    graph = build_computational_graph(
        y, variable_style={"shape": "diamond"}, function_style={"color": 'a"b\\c'}, rankdir="LR"
    )
    nodes, _, direction = parse(graph.dump())
    assert direction == "rankdir=LR;"
    assert {n["shape"] for n in nodes.values()} == {"diamond", "box"}
    assert 'color="a\\"b\\\\c"' in graph.dump()
    with pytest.raises(ValueError, match="rankdir must be one of TB, BT, LR, RL, not 'XY'"):
        build_computational_graph(y, rankdir="XY")
    with pytest.raises(ValueError, match="the graph can be written as 'dot' only, not as 'png'"):
        graph.dump("png")


def test_labels_are_escaped():
    class Odd(FunctionNode):
        label = 'a "b" \\ {c|d} <e>\nf'

        def forward(self, inputs):
            return (inputs[0] + 0,)

    text = build_computational_graph(Odd().apply((Variable(np.ones(2), name='x"y'),))).dump()
    nodes, _, _ = parse(text)
    assert r"a \"b\" \\ \{c\|d\} \<e\>\nf" in {n["label"] for n in nodes.values()}
    assert r"x\"y: (2,), float64" in {n["label"] for n in nodes.values()}


def test_a_variable_is_drawn_once_however_often_its_node_was_made():
    class Exp(FunctionNode):
        def forward(self, inputs):
            self.retain_outputs((0,))
            return (np.exp(inputs[0]),)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * self.get_retained_outputs()[0],)

    x = Variable(np.ones(2), name="x")
    y = Exp().apply((x,))[0]
    (gx,) = grad([y], [x], enable_double_backprop=True)
    nodes, edges, _ = parse(build_computational_graph([gx, y]).dump())
    functions = [n for n, attributes in nodes.items() if attributes["label"] == "Exp"]
    assert len(functions) == 1
    assert len([edge for edge in edges if edge[0] == functions[0]]) == 1


def test_of_leaves_nodes_and_nothing():
    x = Variable(np.ones(2))
    nodes, edges, _ = parse(build_computational_graph([x]).dump())
    assert (len(nodes), edges) == (1, [])
    assert labels(build_computational_graph((x * x).node).dump())
    assert parse(build_computational_graph([]).dump())[0] == {}
    assert parse(build_computational_graph([x], remove_variable=True).dump())[0] == {}


def test_without_styles_variables_are_ovals_and_functions_boxes():
    y = Variable(np.ones(2), name="x") * 2
    text = build_computational_graph(y, variable_style=None, function_style=None).dump()
    nodes, _, _ = parse(text)
    shapes = {node["label"]: node["shape"] for node in nodes.values()}
    assert shapes.pop(next(label for label in shapes if label.startswith("x:"))) == "oval"
    assert "box" in shapes.values()


def test_one_node():
    x = Variable(np.ones(2), name="x")
    dot = DotNode(x.node, {"color": 'say "red"'})
    assert dot.attribute == {"label": "x: (2,), float64", "shape": "oval", "color": 'say "red"'}
    assert dot.label == f'{id(x.node)} [label="x: (2,), float64", shape="oval", color="say \\"red\\""];'
    assert DotNode((x * x).node.creator_node, show_name=False).attribute["shape"] == "box"
    assert DotNode(x.node, show_name=False).attribute["label"] == "(2,), float64"
