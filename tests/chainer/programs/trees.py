"""Recursion over trees: TreeLSTM by hand and the links of that kind."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class ThinTree(chainer.Chain):

    def __init__(self, n_vocab, n_units, n_label):
        super(ThinTree, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units)
            self.l = L.Linear(n_units * 2, n_units)
            self.w = L.Linear(n_units, n_label)

    def leaf(self, x):
        return self.embed(x)

    def node(self, left, right):
        return F.tanh(self.l(F.concat((left, right))))

    def label(self, v):
        return self.w(v)


def traverse(model, node, evaluate=None):
    if isinstance(node['node'], int):
        v = model.leaf(np.array([node['node']], np.int32))
        loss = 0
    else:
        left, right = node['node']
        loss1, left = traverse(model, left, evaluate)
        loss2, right = traverse(model, right, evaluate)
        v = model.node(left, right)
        loss = loss1 + loss2
    y = model.label(v)
    t = np.array([node['label']], np.int32)
    loss += F.softmax_cross_entropy(y, t)
    if evaluate is not None:
        evaluate['n'] = evaluate.get('n', 0) + 1
        evaluate['correct'] = evaluate.get('correct', 0) + int(y.array.argmax() == node['label'])
    return loss, v


def random_tree(rng, depth):
    if depth == 0 or rng.rand() < 0.3:
        word = int(rng.randint(6))
        return {'node': word, 'label': word % 2}
    left, right = random_tree(rng, depth - 1), random_tree(rng, depth - 1)
    return {'node': (left, right), 'label': left['label'] ^ right['label']}


np.random.seed(0)
rng = np.random.RandomState(0)
trees = [random_tree(rng, 4) for _ in range(12)]
model = ThinTree(6, 5, 2)
optimizer = chainer.optimizers.AdaGrad(lr=0.1)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0001))
for epoch in range(3):
    total = 0.
    for i in range(0, 12, 4):
        loss = 0
        for tree in trees[i:i + 4]:
            loss += traverse(model, tree)[0]
        model.cleargrads()
        loss.backward()
        optimizer.update()
        total += float(loss.array)
    result = {}
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        for tree in trees:
            traverse(model, tree, result)
    print('loss', total, result['correct'], result['n'])

x = rng.randn(2, 3).astype('f')
for link in (L.ChildSumTreeLSTM(3, 4), L.NaryTreeLSTM(3, 4, n_ary=2)):
    c = [chainer.Variable(rng.randn(2, 4).astype('f')) for _ in range(2)]
    h = [chainer.Variable(rng.randn(2, 4).astype('f')) for _ in range(2)]
    link.cleargrads()
    c1, h1 = link(*(c + h + [x]))
    F.sum(c1 * h1).backward()
    print(type(link).__name__, float(F.sum(c1).array), float(F.sum(h1).array), float(abs(c[0].grad).sum()))
new_c, new_h = F.tree_lstm(*(c + [rng.randn(2, 20).astype('f')]))
print('tree_lstm', float(F.sum(new_c).array), float(F.sum(new_h).array))
new_c, new_h = F.slstm(c[0], c[1], rng.randn(2, 16).astype('f'), rng.randn(2, 16).astype('f'))
print('slstm', float(F.sum(new_c).array), float(F.sum(new_h).array))
