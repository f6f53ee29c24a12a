"""Data sets that lie in CHAINER_DATASET_ROOT, downloads that are kept, and data sets of files."""
import os
import shutil
import tempfile

root = tempfile.mkdtemp()
os.environ['CHAINER_DATASET_ROOT'] = root

import chainer  # noqa: E402
import numpy as np  # noqa: E402
from chainer import dataset, datasets  # noqa: E402

rng = np.random.RandomState(0)


def put(path, **arrays):
    path = os.path.join(root, 'pfnet/chainer', path)
    if not os.path.isdir(os.path.dirname(path)):
        os.makedirs(os.path.dirname(path))
    np.savez_compressed(path, **arrays)


for name, n in (('train', 60), ('test', 10)):
    put('mnist/{}.npz'.format(name), x=rng.randint(0, 256, (n, 784)).astype('u1'), y=rng.randint(0, 10, n).astype('i'))
    put('fashion-mnist/{}.npz'.format(name), x=rng.randint(0, 256, (n, 784)).astype('u1'),
        y=rng.randint(0, 10, n).astype('u1'))
for n in (10, 100):
    put('cifar/cifar-{}.npz'.format(n), train_x=rng.randint(0, 256, (50, 3072)).astype('u1'),
        train_y=rng.randint(0, n, 50).astype('i4'), test_x=rng.randint(0, 256, (20, 3072)).astype('u1'),
        test_y=rng.randint(0, n, 20).astype('i4'))

print(dataset.get_dataset_root() == root, os.path.relpath(dataset.get_dataset_directory('a/b'), root))
train, test = datasets.get_mnist()
print(len(train), len(test), train[0][0].shape, train[0][0].dtype, float(train[0][0].sum()), int(train[0][1]))
train, test = chainer.datasets.get_mnist(withlabel=False, ndim=3, scale=255.)
print(type(train).__name__, train.shape, train.dtype, float(train.sum()))
train, test = datasets.get_fashion_mnist(ndim=2, rgb_format=False)
print(train[1][0].shape, float(train[1][0].sum()), train[1][1], train[1][1].dtype)
train, test = datasets.get_cifar10()
print(len(train), len(test), train[3][0].shape, float(train[3][0].sum()), int(train[3][1]))
train, test = datasets.get_cifar100(ndim=1, withlabel=False)
print(train.shape, float(test.sum()))

source = os.path.join(tempfile.mkdtemp(), 'words.txt')
with open(source, 'w') as f:
    f.write('one two three\nfour\n')
url = 'file://' + source
first = dataset.cached_download(url)
print(open(first).read().split(), os.path.relpath(os.path.dirname(first), root))
os.remove(source)
print(dataset.cached_download(url) == first)
made = []


def create(path):
    made.append(path)
    shutil.copy(first, path)
    return open(path).read()


def load(path):
    return open(path).read()


path = os.path.join(root, 'copy.txt')
print(dataset.cache_or_load_file(path, create, load) == dataset.cache_or_load_file(path, create, load), len(made))
text = datasets.TextDataset(first, 'utf-8')
print(len(text), text[1].strip())
pairs = datasets.ConcatenatedDataset([1, 2], [3])
print(list(pairs), [v for v in datasets.SubDataset(list(range(10)), 2, 5)])
print(datasets.PickleDataset is not None, type(datasets.open_pickle_dataset_writer).__name__)
with datasets.open_pickle_dataset_writer(os.path.join(root, 'kept')) as writer:
    for i in range(3):
        writer.write((i, np.arange(i)))
with datasets.open_pickle_dataset(os.path.join(root, 'kept')) as kept:
    print(len(kept), kept[2][1].tolist())
