"""Files: dictionaries, npz, parts of them, links that serialize more, names left out, what is refused."""
import os
import tempfile

import chainer
import chainer.links as L
import numpy as np
from chainer import serializers

folder = tempfile.mkdtemp()
np.random.seed(0)


class Memory(chainer.Chain):

    def __init__(self):
        super(Memory, self).__init__()
        with self.init_scope():
            self.l = L.Linear(2, 3)
            self.lazy = L.Linear(None, 2)
        self.history = 'nothing'
        self.register_persistent('history')
        self.best = None
        self.table = np.zeros(2)

    def serialize(self, serializer):
        super(Memory, self).serialize(serializer)
        self.best = serializer('best', self.best)
        self.table = serializer('table', self.table)
        inner = serializer['inner']
        self.count = inner('count', 5)


model = Memory()
model.history, model.best, model.table = 'much', 0.5, np.arange(2.)
path = os.path.join(folder, 'a.npz')
serializers.save_npz(path, model, compression=False)
with np.load(path, allow_pickle=True) as f:
    print(sorted(f.files))
other = Memory()
serializers.load_npz(path, other)
print(other.history, other.best, other.table.tolist(), other.count, other.lazy.W.array)
model.lazy(np.ones((1, 4), 'f'))
serializers.save_npz(path, model)
serializers.load_npz(path, other)
print(other.lazy.W.shape, bool((other.lazy.W.array == model.lazy.W.array).all()))
link = L.Linear(2, 3)
serializers.load_npz(path, link, path='l/')
print(bool((link.W.array == model.l.W.array).all()))
serializers.load_npz(path, other, ignore_names=['best', lambda name: name.startswith('lazy')])
print(other.best)


class More(Memory):

    def __init__(self):
        super(More, self).__init__()
        with self.init_scope():
            self.extra = L.Linear(1, 1)


more = More()
before = more.extra.W.array.copy()
try:
    serializers.load_npz(path, more)
except Exception as error:
    print('missing', isinstance(error, KeyError))
serializers.load_npz(path, more, strict=False)
print(bool((more.extra.W.array == before).all()), bool((more.l.W.array == model.l.W.array).all()))
target = {}
serializers.DictionarySerializer(target).save(model)
print(sorted(target), type(target['l/W']).__name__)
serializer = serializers.DictionarySerializer()
serializer.save(model.l)
print(sorted(serializer.target))
with open(path, 'rb') as f:
    archive = np.load(f, allow_pickle=True)
    serializers.NpzDeserializer(archive).load(other)
print(bool((other.l.b.array == model.l.b.array).all()))
with open(os.path.join(folder, 'b'), 'wb') as f:
    serializers.save_npz(f, model)
print(os.path.exists(os.path.join(folder, 'b')))


class Counting(chainer.Serializer):

    def __init__(self):
        self.keys = []

    def __getitem__(self, key):
        return self

    def __call__(self, key, value):
        self.keys.append(key)
        return value


counting = Counting()
counting.save(model)
print(sorted(counting.keys))
try:
    serializers.load_npz(os.path.join(folder, 'nothing'), model)
except (IOError, OSError) as error:
    print('no file', type(error).__name__)
bad = L.Linear(5, 3)
try:
    serializers.load_npz(path, bad, path='l/')
except Exception as error:
    print('shape', type(error).__name__ != 'KeyError')
