"""Function hooks, link hooks, timers."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import function_hooks, link_hooks


class Names(chainer.FunctionHook):
    name = 'Names'

    def __init__(self):
        self.seen = []

    def added(self, function):
        print('added to', function if function is None else function.label)

    def deleted(self, function):
        print('deleted')

    def forward_preprocess(self, function, in_data):
        self.seen.append(('f', len(in_data)))

    def backward_postprocess(self, function, in_data, out_grad):
        self.seen.append(('b', len(out_grad)))


class Calls(chainer.LinkHook):
    name = 'Calls'

    def __init__(self):
        self.before, self.after = [], []

    def forward_preprocess(self, args):
        self.before.append(args.link.name)

    def forward_postprocess(self, args):
        self.after.append((args.link.name, args.forward_name, args.out.shape))


np.random.seed(0)
model = chainer.Sequential(L.Linear(4, 5), F.relu, L.Linear(5, 2))
x = np.random.normal(size=(3, 4)).astype('f')
t = np.array([0, 1, 0], 'i')
names = Names()
with names:
    loss = F.softmax_cross_entropy(model(x), t)
    loss.backward()
print([kind for kind, _ in names.seen][:4], sum(kind == 'b' for kind, _ in names.seen))
calls = Calls()
with calls:
    model(x)
print(calls.before, calls.after)
with function_hooks.TimerHook() as timer:
    F.sum(F.sigmoid(model(x))).backward()
print(timer.total_time() > 0, len(timer.call_history) > 3, sorted(timer.summary()['Sigmoid']))
with link_hooks.TimerHook() as timer:
    model(x)
print(timer.total_time() >= 0, sorted(timer.summary()))
layer = L.Linear(4, 5)
layer.add_hook(link_hooks.SpectralNormalization())
out = layer(x)
print(layer.W_u.shape, sorted(layer.local_link_hooks))
function = F.sigmoid(chainer.Variable(x)).creator
print(function.label, function.rank, [tuple(i.shape) for i in function.inputs])
y = F.exp(chainer.Variable(x))
y.creator_node.add_hook(names)
F.sum(y).backward()
print(names.seen[-1])
print('loss', float(loss.array))
