"""Drawing a computational graph, and walking it."""
import chainer
import chainer.computational_graph as c
import chainer.functions as F
import chainer.links as L
import numpy as np

np.random.seed(0)
l1, l2 = L.Linear(3, 4), L.Linear(4, 2)
x = chainer.Variable(np.ones((2, 3), 'f'), name='x')
h = F.tanh(l1(x))
loss = F.sum(l2(h) ** 2)
loss.name = 'loss'
graph = c.build_computational_graph([loss])
print(len(graph.nodes), len(graph.edges))
text = graph.dump()
print(text.startswith('digraph graphname{'), text.count('->'), text.count('shape=oval'), text.count('shape=box'))
print('x: ' in text, 'rankdir=TB' in text)
small = c.build_computational_graph([loss], remove_variable=True, show_name=False, rankdir='LR')
print(len(small.nodes), 'rankdir=LR' in small.dump())
styled = c.build_computational_graph(
    [h], variable_style={'shape': 'octagon'}, function_style={'shape': 'record'})
print(styled.dump().count('octagon'), styled.dump().count('record'))

labels, node = [], loss.creator
while node is not None:
    labels.append(node.rank)
    node = node.inputs[0].creator
print(labels)
l1.cleargrads()
l2.cleargrads()
loss.backward(retain_grad=True)
print('grad', h.grad.shape, float(abs(l1.W.grad).sum()))
h.unchain()
print(h.creator is None)
loss.unchain_backward()
print(loss.creator is None)
print('loss', float(loss.array))
