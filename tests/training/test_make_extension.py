from renga_core.training import PRIORITY_WRITER, Extension
from renga_training.make_extension import make_extension


def test_make_extension_keeps_the_function_and_adds_the_rest():
    calls = []

    @make_extension(
        trigger=(3, "epoch"),
        priority=PRIORITY_WRITER,
        finalizer=lambda: calls.append("finalize"),
        initializer=lambda trainer: calls.append(("initialize", trainer)),
        on_error=lambda trainer, error, traceback: calls.append(("error", error)),
    )
    def tell(trainer):
        """Tell."""
        return ("told", trainer)

    assert isinstance(tell, Extension)
    assert (tell.default_name, tell.__doc__, tell.trigger, tell.priority) == ("tell", "Tell.", (3, "epoch"), 300)
    assert tell("t") == ("told", "t")
    tell.initialize("t")
    tell.on_error("t", "e", None)
    tell.finalize()
    assert calls == [("initialize", "t"), ("error", "e"), "finalize"]


def test_make_extension_names():
    assert make_extension(default_name="other")(lambda trainer: None).default_name == "other"
    plain = make_extension()(lambda trainer: 1)
    plain.initialize(None)
    plain.on_error(None, ValueError(), None)
    plain.finalize()
    assert plain.trigger == (1, "iteration")
