"""Pictures and texts of what a network makes."""

import numpy as np
import pytest

import renga.links as L
from renga.iterators import SerialIterator
from renga.optimizers import SGD
from renga.training import StandardUpdater, Trainer
from renga_core.configuration import config
from renga_core.errors import RengaError
from renga_training.extensions import Samples
from renga_training.extensions.samples import page, save_picture
from renga_training.tasks import Task

DATA = [(np.ones(2, np.float32), np.int32(0))] * 4


@pytest.mark.parametrize(("number", "shape"), [(4, (2, 2)), (7, (3, 3)), (100, (10, 10)), (200, (10, 20))])
def test_images_side_by_side(number, shape):
    images = np.arange(1, number + 1)[:, None, None, None] * np.ones((number, 3, 4, 5))
    picture = page(images)
    rows, columns = shape
    assert picture.shape == (rows * 6, columns * 7, 3)
    assert (picture[1:5, 8:13] == 2).all()  # the second beside the first
    assert (picture[7:11, 1:6] == columns + 1).all()
    assert picture[0].sum() == picture[:, 0].sum() == 0


def run(task, folder):
    link = L.Classifier(L.Linear(2, 2))
    updater = StandardUpdater(SerialIterator(DATA, 2), SGD().setup(link))
    trainer = Trainer(updater, (2, "iteration"), out=str(folder))
    trainer.extend(Samples(task, link, DATA, number=3), trigger=(2, "iteration"))
    trainer.run()


def test_text(tmp_path):
    class Writer(Task):
        def samples(self, target, examples):
            assert not config.train
            return f"{len(examples)} examples"

    run(Writer(), tmp_path)
    assert (tmp_path / "samples.txt").read_text() == "3 examples\n"


def test_images(tmp_path):
    image = pytest.importorskip("PIL.Image")

    class Painter(Task):
        def samples(self, target, examples):
            return np.full((4, 1, 8, 8), 0.5)

    run(Painter(), tmp_path)
    picture = np.asarray(image.open(tmp_path / "samples.png"))
    assert picture.shape == (400, 400)
    assert sorted(np.unique(picture)) == [0, 128]
    save_picture(tmp_path / "colour.png", np.zeros((5, 6, 3)))
    assert np.asarray(image.open(tmp_path / "colour.png")).shape[2] == 3


def test_nothing_to_show(tmp_path):
    with pytest.raises(RengaError, match="has no samples"):
        run(Task(), tmp_path)
