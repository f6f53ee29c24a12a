"""What asks for GPUs says that there are none."""
import chainer
import chainer.links as L
import numpy as np
from chainer import cuda, training

print(cuda.available, chainer.backends.cuda.available)
try:
    cuda.check_cuda_available()
except RuntimeError as error:
    print('check:', type(error).__name__)
model = L.Classifier(L.Linear(2, 2))
try:
    model.to_gpu()
except RuntimeError as error:
    print('to_gpu:', type(error).__name__)
optimizer = chainer.optimizers.SGD()
optimizer.setup(model)
iterator = chainer.iterators.SerialIterator([(np.zeros(2, 'f'), np.int32(0))], 1)
try:
    updater = training.updaters.ParallelUpdater(iterator, optimizer, devices={'main': 0, 'second': 1})
    updater.update()
except RuntimeError as error:
    print('ParallelUpdater:', type(error).__name__)
print(training.updaters.MultiprocessParallelUpdater.available())
print(cuda.get_array_module(np.zeros(1)) is np, isinstance(np.zeros(1), cuda.ndarray))
with cuda.get_device_from_array(np.zeros(1)) as device:
    print(int(device))
