"""ChainerMN's extensions and links over several ranks, which are threads here."""

HEAD_OF_RANKS = """
import os
import chainermn
from chainermn.links import MultiNodeBatchNormalization, create_mnbn_model
from renga_distributed.threads import launch

def trainer_of(comm, stop, **options):
    model = Model(np.zeros((), 'f'))
    optimizer = optimizers.SGD(1.0).setup(model)
    iterator = iterators.SerialIterator(list(range(8)), 2, shuffle=False)
    updater = training.StandardUpdater(
        iterator, optimizer, converter=lambda batch, device: np.float32(0), loss_func=lambda x: model.p + x)
    trainer = training.Trainer(updater, (stop, 'iteration'), out='result')
    if comm.rank == 0:
        trainer.extend(extensions.LogReport())
    snapshot = extensions.snapshot(**options)
    trainer.extend(chainermn.extensions.multi_node_snapshot(comm, snapshot, [0]), trigger=(1, 'iteration'))
    return trainer, model

def run(comm, stop, **options):
    trainer, model = trainer_of(comm, stop, **options)
    trainer.run()
    return trainer.updater.iteration, float(model.p.array)

def written():
    return sorted(name for name in os.listdir('result') if name.startswith('snapshot'))
"""


def test_multi_node_snapshots_of_chainers_are_gone_on_with(run_as_chainer):
    """Each set from its own file; the steps taken after loading show that it was loaded before."""
    run_as_chainer(
        HEAD_OF_RANKS
        + """
assert launch(lambda comm: run(comm, 2, autoload=True), 3) == [(2, -2.0)] * 3
assert written() == [f'snapshot_iter_{i}.{rank}' for i in (1, 2) for rank in (0, 1)]
assert launch(lambda comm: run(comm, 5, autoload=True), 3) == [(5, -5.0)] * 3
assert launch(lambda comm: trainer_of(comm, 5, autoload=True)[0].updater.iteration, 3) == [0] * 3
"""
    )


def test_multi_node_snapshots_go_on_from_the_one_that_all_sets_have(run_as_chainer):
    run_as_chainer(
        HEAD_OF_RANKS
        + """
launch(lambda comm: run(comm, 3), 2)
os.remove('result/snapshot_iter_3.1')
seen = []
def program(comm):
    trainer, model = trainer_of(comm, 5, autoload=True)
    trainer.extend(lambda trainer: seen.append(trainer.updater.iteration), name='seen', trigger=(1, 'iteration'))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        trainer.run()
    return float(model.p.array)
assert launch(program, 2) == [-5.0, -5.0]
assert sorted(seen) == [3, 3, 4, 4, 5, 5], seen
"""
    )


def test_multi_node_snapshots_retain_wait_for_writers_and_take_functions(run_as_chainer):
    run_as_chainer(
        HEAD_OF_RANKS
        + """
from chainer.training.extensions import snapshot_writers
launch(lambda comm: run(comm, 4, n_retains=2, writer=snapshot_writers.ThreadWriter()), 2)
assert written() == [f'snapshot_iter_{i}.{rank}' for i in (3, 4) for rank in (0, 1)], written()
launch(lambda comm: run(comm, 1, filename=lambda trainer: 'at_%d' % trainer.updater.iteration), 2)
assert {'at_1.0', 'at_1.1'} <= set(os.listdir('result'))
"""
    )


def test_multi_node_batch_normalization_keeps_chainermns_averages(run_as_chainer):
    """By hand: 0.1 of the mean; 0.1 of the variance of all ranks' 12 numbers, times 6 / 5 for the 6 of each rank."""
    run_as_chainer(
        HEAD_OF_RANKS
        + """
x = np.arange(12, dtype='f').reshape(6, 2)
both = np.concatenate([x, 2 * x])

def program(comm, make):
    bn = make(comm)
    start = np.array(bn.avg_var)
    y = bn(x * (comm.rank + 1))
    whole = (both - both.mean(0)) / np.sqrt(both.var(0) + bn.eps)
    np.testing.assert_allclose(y.array, whole[6 * comm.rank:][:6], rtol=1e-5)
    np.testing.assert_allclose(bn.avg_mean, .1 * both.mean(0), rtol=1e-5)
    np.testing.assert_allclose(bn.avg_var, .9 * start + .1 * both.var(0) * 6 / 5, rtol=1e-5)
    with chainer.using_config('train', False):
        tested = bn(x).array
    np.testing.assert_allclose(tested, (x - bn.avg_mean) / np.sqrt(bn.avg_var + bn.eps), rtol=1e-5)
    return start.tolist()

assert launch(program, 2, lambda comm: MultiNodeBatchNormalization(2, comm)) == [[0, 0]] * 2
# What is made of another link begins with its averages.
made = lambda comm: create_mnbn_model(chainer.Sequential(L.BatchNormalization(2)), comm)[0]
assert launch(program, 2, made) == [[1, 1]] * 2
assert chainermn.links.batch_normalization.MultiNodeBatchNormalization is MultiNodeBatchNormalization
"""
    )


def test_generic_evaluators_take_results_of_any_kind(run_as_chainer):
    """Numbers, false ones too, tuples and arrays reach `aggregate` as they are, all ranks' first ones first."""
    run_as_chainer(
        HEAD_OF_RANKS
        + """
class Evaluator(chainermn.extensions.GenericMultiNodeEvaluator):
    def __init__(self, make, *args):
        super().__init__(*args)
        self.make = make
    def calc_local(self, x):
        return self.make(x)
    def aggregate(self, results):
        return [(type(result).__name__, result) for result in results]

def program(comm, make):
    data = np.arange(5, dtype='f') if comm.rank == 0 else None
    data = chainermn.scatter_dataset(data, comm, force_equal_length=False)
    return Evaluator(make, comm, iterators.SerialIterator(data, 2, repeat=False, shuffle=False), None)(None)

def found(make):
    first, second = launch(program, 2, make)
    assert second is None
    return first

assert found(lambda x: float(x.sum())) == [('float', 1.0), ('float', 7.0), ('float', 2.0)]
assert found(lambda x: len(x)) == [('int', 2), ('int', 2), ('int', 1)]
assert found(lambda x: 0) == [('int', 0)] * 3
assert found(lambda x: False) == [('bool', False)] * 3
assert found(lambda x: x.max()) == [('float32', 1), ('float32', 4), ('float32', 2)]
assert found(lambda x: (len(x), float(x[0]))) == [('tuple', (2, 0.0)), ('tuple', (2, 3.0)), ('tuple', (1, 2.0))]
"""
    )
