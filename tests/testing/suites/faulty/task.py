"""Tasks that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

import numpy as np

from renga_core.backend import to_host
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_core.reporter import report
from renga_training.tasks import Task
from renga_training.tasks.inference import Computing, Inference


class Loss(Chain):
    """Mean absolute values of what the model gives less what is right."""

    def __init__(self, task, model):
        super().__init__()
        self.task = task
        with self.init_scope():
            self.predictor = model

    def forward(self, x, t):
        error = self.task.scores(self.predictor, x) - t
        loss = self.task.loss(error)
        report(self.task.figures_of(loss, error), self)
        return loss


class Right(Task):
    """Numbers belong to examples: the rest of this file derives from it."""

    figures = ("loss", "largest")

    def target(self, model):
        return Loss(self, model)

    def scores(self, model, x):
        return model(x)

    def loss(self, error):
        return (error * error).sum() / len(error.array)

    def figures_of(self, loss, error):
        return {"loss": loss, "largest": abs(error.array).max()}

    def predict(self, target, inputs):
        return [{"y": float(y[0])} for y in to_host(target.predictor(inputs).array)]


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Headless(Right):
    """its headline is not among its figures"""

    breaks = "test_what_it_is"
    headline = "accuracy"


class OneFigure(Right):
    """its figures are a text"""

    breaks = "test_what_it_is"
    figures = "loss"


class Unheard(Right):
    """it names a converter that there is not"""

    breaks = "test_what_it_is"
    converter = "stacks"


class Apart(Right):
    """it trains a copy of the model"""

    breaks = "test_what_is_trained"

    def target(self, model):
        return Loss(self, model.copy("copy"))


class Forgetting(Right):
    """a parameter of the model has no optimizer"""

    breaks = "test_optimized"

    def target(self, model):
        target = super().target(model)
        with target.init_scope():
            target.other = model.copy("init")
        return target

    def optimized(self, target):
        return {"main": target.other}


class Vector(Right):
    """its loss has a number for each example"""

    breaks = "test_loss"

    def loss(self, error):
        return (error * error).sum(axis=1)

    def figures_of(self, loss, error):
        return {"loss": loss.array.mean(), "largest": abs(error.array).max()}


class Plain(Right):
    """its loss is an array, without a graph"""

    breaks = "test_loss"

    def loss(self, error):
        return abs(error.array).mean()


class Unused(Right):
    """a parameter of the model gets no gradient"""

    breaks = "test_loss"

    def scores(self, model, x):
        return Variable(x) @ model.W + model.b.array


class NotFinite(Right):
    """its loss is infinite"""

    breaks = "test_loss"

    def loss(self, error):
        return super().loss(error) * np.float32(np.inf)


class InPlace(Right):
    """it scales the inputs in place"""

    breaks = "test_batch_is_unchanged"

    def scores(self, model, x):
        x *= 2
        return model(x)


class Constant(Right):
    """in training, the loss is always zero"""

    breaks = "test_training"

    def loss(self, error):
        return super().loss(error * np.float32(0 if config.train else 1))


class Undeclared(Right):
    """it reports a figure that it does not declare"""

    breaks = "test_figures"

    def figures_of(self, loss, error):
        return {**super().figures_of(loss, error), "smallest": abs(error.array).min()}


class Missing(Right):
    """it declares a figure that it never reports"""

    breaks = "test_figures"
    figures = ("loss", "largest", "accuracy")


class InTrainingOnly(Right):
    """it reports its headline in training only"""

    breaks = "test_figures"
    headline = "largest"

    def figures_of(self, loss, error):
        return super().figures_of(loss, error) if config.train else {"loss": loss}


class Noisy(Right):
    """in evaluating, it adds noise of no seed"""

    breaks = "test_evaluating_changes_nothing"
    numbers = itertools.count()

    def loss(self, error):
        return super().loss(error + np.float32(0 if config.train else next(self.numbers)))


class LearningFromTests(Right):
    """it moves a parameter when it is evaluated"""

    breaks = "test_evaluating_changes_nothing"

    def scores(self, model, x):
        if not config.train:
            model.b.array[...] *= 0.5
        return model(x)


class Remembering(Right):
    """what it saw in evaluating is in the next loss"""

    breaks = "test_training_goes_on_after_evaluating"
    last = 0.0

    def loss(self, error):
        loss = super().loss(error + np.float32(self.last))
        if not config.train:
            self.last += 0.5
        return loss


class Scaled(Right):
    """its scale is drawn, and not saved"""

    breaks = "test_saving_and_loading"

    def target(self, model):
        self.scale = np.float32(abs(model.W.array).sum())
        return super().target(model)

    def loss(self, error):
        return super().loss(error) * self.scale


class OneRow(Right):
    """it gives one row for all examples"""

    breaks = "test_predict"

    def predict(self, target, inputs):
        return super().predict(target, inputs)[:1]


class WithLabels(Right):
    """it wants labels for predicting"""

    breaks = "test_predict"

    def predict(self, target, inputs):
        x, _ = inputs
        return super().predict(target, x)


class Arrays(Right):
    """its rows hold arrays"""

    breaks = "test_predict"

    def predict(self, target, inputs):
        return [{"y": y} for y in to_host(target.predictor(inputs).array)]


class Sorted(Right):
    """its rows are in the order of what it predicts"""

    breaks = "test_rows_belong_to_examples"

    def predict(self, target, inputs):
        return sorted(super().predict(target, inputs), key=lambda row: row["y"])


class Together(Right):
    """what it says of an example depends on the others in the batch"""

    breaks = "test_rows_belong_to_examples"

    def predict(self, target, inputs):
        rows = super().predict(target, inputs)
        return [{"y": row["y"] - rows[0]["y"]} for row in rows]


class Numbers(Right):
    """its samples are a list of numbers"""

    breaks = "test_samples"

    def samples(self, target, examples):
        return [row["y"] for row in self.predict(target, np.stack([x for x, _ in examples]))]


class Flat(Right):
    """what it generates are images without channels"""

    breaks = "test_samples"

    def generate(self, target, prompt, number):
        return np.zeros((number, 8, 8), np.float32)


class OutputWithoutAName(Right):
    """its network gives two outputs, and it names one"""

    breaks = "test_inference"

    def inference(self, target, batch):
        model = target.predictor
        return Inference(Computing(model, lambda x: (model(x), x)), {"x": batch[0]}, ["y"], {"x": {0: "batch"}})


class AxisThatIsNotThere(Right):
    """it names the third axis of vectors"""

    breaks = "test_inference"

    def inference(self, target, batch):
        return Inference(target.predictor, {"x": batch[0]}, ["y"], {"x": {2: "height"}})


class Counting(Right):
    """its network gives another output each time"""

    breaks = "test_inference"

    def inference(self, target, batch):
        model, counter = target.predictor, itertools.count()
        network = Computing(model, lambda x: model(x) + next(counter))
        return Inference(network, {"x": batch[0]}, ["y"], {"x": {0: "batch"}})
