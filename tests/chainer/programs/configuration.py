"""Configuration, debugging, and errors."""
import threading
import warnings

import chainer
import chainer.functions as F
import numpy as np

print(chainer.config.train, chainer.config.enable_backprop, chainer.config.debug, chainer.config.use_cudnn)
print(chainer.config.cudnn_deterministic, chainer.config.autotune, chainer.config.use_ideep, chainer.config.dtype)
print(chainer.global_config.type_check, chainer.config.keep_graph_on_report)
chainer.config.user_key = 3
with chainer.using_config('user_key', 4):
    print(chainer.config.user_key)
print(chainer.config.user_key)


def other():
    print(hasattr(chainer.config, 'user_key'), chainer.config.train)


with chainer.using_config('train', False):
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
chainer.global_config.use_cudnn = 'never'
print(chainer.should_use_cudnn('>=auto'))
x = chainer.Variable(np.array([1., -1.], 'f'))
with chainer.no_backprop_mode():
    print(F.exp(x).creator is None)
    with chainer.force_backprop_mode():
        print(F.exp(x).creator is None)
chainer.set_debug(True)
try:
    with np.errstate(invalid='ignore'):
        F.sqrt(x)
except RuntimeError as error:
    print('debug', 'NaN' in str(error))
chainer.set_debug(False)
with chainer.DebugMode(True):
    print(chainer.is_debug())
try:
    F.concat([np.zeros((2, 3), 'f'), np.zeros((3, 2), 'f')])
except chainer.utils.type_check.InvalidType:
    print('InvalidType')
with chainer.using_config('dtype', np.float16):
    print(chainer.get_dtype(), chainer.links.Linear(2, 2).W.dtype)
print(chainer.get_dtype(np.float64), chainer.links.Linear(2, 2).W.dtype)
try:
    chainer.Variable(np.zeros(1, 'f'), volatile='on')
except (ValueError, TypeError) as error:
    print(type(error).__name__, 'volatile' in str(error))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    chainer.utils.experimental('my.feature')
print(caught[0].category.__name__)
chainer.print_runtime_info(open('/dev/null', 'w'))
