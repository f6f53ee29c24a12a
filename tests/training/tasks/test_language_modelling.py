"""States of networks that read a text: truncated, kept, put back."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.iterators import SerialIterator
from renga_core.errors import RengaError
from renga_data.datasets import TextStreams, get_text, split_text
from renga_training.tasks import LanguageModelling, TaskEvaluator


class Reader(renga.Chain):
    def __init__(self, n_out):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_out, 5)
            self.rnn = L.LSTM(5, 5)
            self.out = L.Linear(5, n_out)

    def forward(self, x):
        hs = [self.rnn(self.embed(x[:, i])) for i in range(x.shape[1])]
        return self.out(F.stack(hs, axis=1).reshape(-1, 5))


def test_pieces_go_on_where_the_one_before_stopped():
    data = TextStreams(np.arange(14), 2, 3)
    first, second = ([data[i] for i in rows] for rows in ((0, 1), (2, 3)))
    np.testing.assert_array_equal([x for x, _ in first], [[0, 1, 2], [6, 7, 8]])
    np.testing.assert_array_equal([x for x, _ in second], [[3, 4, 5], [9, 10, 11]])
    np.testing.assert_array_equal([t for _, t in second], [[4, 5, 6], [10, 11, 12]])
    assert len(data) == 4
    with pytest.raises(RengaError, match="too short for 4 streams"):
        TextStreams(np.arange(14), 4, 5)


def test_text_of_a_file(tmp_path):
    (tmp_path / "a.txt").write_text("abcab" * 30)
    train, test = pair = get_text(str(tmp_path / "a.txt"), batch_size=2, steps=4, test_ratio=0.2)
    assert pair.preprocessing.alphabet == "abc"
    assert (len(train), len(test)) == (28, 6)
    assert pair.preprocessing.decode(train[0][0]) == "abca"


@pytest.mark.parametrize(("streams", "steps", "name"), [(0, 3, "data.batch_size"), (2, 0, "data.steps")])
def test_sizes_below_one_are_refused(streams, steps, name):
    with pytest.raises(RengaError, match=f"{name} must be at least 1, not 0"):
        TextStreams(np.arange(14), streams, steps)


def test_texts_that_cannot_be_read(tmp_path):
    """Each is refused in a sentence with the name of the file."""
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1") * 200)
    for name, why in (
        ("empty.txt", "a text of 0 characters is too short"),
        ("latin.txt", "latin.txt: not a text in UTF-8: .*position 0"),
        ("missing.txt", "missing.txt: cannot be read: No such file or directory.*working folder"),
        (".", "cannot be read: Is a directory"),
    ):
        with pytest.raises(RengaError, match=why):
            get_text(str(tmp_path / name), batch_size=2, steps=4)


def test_a_prompt_is_checked_before_training():
    """Samples are drawn after an epoch: too late to learn that their beginning cannot be read."""
    task = LanguageModelling(prompt="abd")
    task.preprocessing = split_text("abcab" * 30, batch_size=2, steps=3).preprocessing
    with pytest.raises(RengaError, match=r"task\.prompt: the character 'd' is not among .*: 'abc'"):
        task.target(Reader(3))


def test_at_temperature_0_the_likeliest_character_follows():
    renga.random.seed(0)
    task = LanguageModelling(temperature=0)
    task.preprocessing = split_text("abcab" * 30, batch_size=2, steps=3).preprocessing
    target = task.target(Reader(3))
    text = task.generate(target, "ab", 5)
    for at in range(2, 7):
        with task.evaluating(target):
            scores = target.predictor(task.preprocessing.encode(text[:at])[None]).array[-1]
        assert text[at] == "abc"[scores.argmax()]
    with pytest.raises(ValueError, match="temperature must be at least 0, not -1"):
        LanguageModelling(temperature=-1)


def test_gradients_do_not_go_into_the_batch_before():
    renga.random.seed(0)
    target = LanguageModelling().target(Reader(3))
    x, t = np.array([[0, 1], [2, 1]], np.int32), np.array([[1, 0], [1, 1]], np.int32)
    target(x, t).backward()
    state = target.predictor.rnn.h.array.copy(), target.predictor.rnn.c.array.copy()
    target.cleargrads()
    target(x, t).backward()
    found = target.predictor.rnn.upward.W.grad.copy()
    target.predictor.rnn.set_state(*(renga.Variable(each) for each in reversed(state)))
    other = LanguageModelling().target(target.predictor)
    target.cleargrads()
    other(x, t).backward()
    np.testing.assert_allclose(found, target.predictor.rnn.upward.W.grad, rtol=1e-5)


def test_evaluation_begins_anew_and_training_goes_on():
    renga.random.seed(0)
    train, test = split_text("the cat sat on the mat. " * 20, 2, 5, 0.3)
    task = LanguageModelling()
    target = task.target(Reader(11))
    evaluate = TaskEvaluator(SerialIterator(test, 2, repeat=False, shuffle=False), target, task)
    expected = evaluate()
    x, t = renga.dataset.concat_examples([train[0], train[1]])
    target(x, t)
    before = target.predictor.rnn.h
    assert evaluate() == expected
    assert target.predictor.rnn.h is before
    assert expected["main/perplexity"] == pytest.approx(np.exp(expected["main/loss"]))
