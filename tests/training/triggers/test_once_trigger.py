from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.triggers import OnceTrigger


def test_fires_once_and_not_again_after_resuming(fired):
    assert fired(OnceTrigger, 5) == [1]


def test_call_on_resume(trainer):
    first = OnceTrigger(call_on_resume=True)
    assert not first.finished
    assert trainer().fired(first, range(1, 4)) == [1]
    assert first.finished
    target = {}
    DictionarySerializer(target).save(first)
    assert first.finished
    second = OnceTrigger(call_on_resume=True)
    NpzDeserializer(target).load(second)
    assert trainer().fired(second, range(4, 8)) == [4]
