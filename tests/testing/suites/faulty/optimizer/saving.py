"""Optimizers that are each wrong in one way, in resuming, copying, and setting up anew."""

from renga_core.serializers import Deserializer

from .right import Right, RightRule


class Forgetful(Right):
    """what it remembers is not saved"""

    breaks = "test_resume_is_identical"

    class rule(RightRule):
        def __init__(self, hyperparam):
            super().__init__(hyperparam)
            self.remembered = 0.0

        def update_core(self, param):
            self.remembered += 1.0
            array = param.array
            array -= self.hyperparam.lr / self.remembered * param.grad


class LoadsOnce(Right):
    """what is loaded is taken only if it remembers nothing yet"""

    breaks = "test_going_back"

    class rule(RightRule):
        def serialize(self, serializer):
            if isinstance(serializer, Deserializer) and self.t:
                return
            super().serialize(serializer)


class ForgetsWhenSaved(Right):
    """saving clears what it remembers"""

    breaks = "test_saving_changes_nothing"

    def serialize(self, serializer):
        super().serialize(serializer)
        if not isinstance(serializer, Deserializer):
            for param in self.target.params():
                for value in param.update_rule.state.values():
                    value[...] = 0


class SharedByCopies(Right):
    """what it remembers stays one when it is copied"""

    breaks = "test_copying"

    class rule(RightRule):
        def __deepcopy__(self, memo):
            return self


class RemembersTheLastLink(Right):
    """set up with another link, it remembers what it knew of the former"""

    breaks = "test_setting_up_anew"

    def setup(self, link):
        held = [param.update_rule for param in self.target.params()] if self.target is not None else []
        super().setup(link)
        for param, rule in zip(link.params(), held, strict=False):
            param.update_rule = rule
        return self


class HoldsArrays(Right):
    """it updates the arrays that parameters had when it was set up"""

    breaks = "test_array_that_is_replaced"

    class rule(RightRule):
        array = None

        def update_core(self, param):
            if self.array is None:
                self.array = param.array
            array = self.array
            array -= self.hyperparam.lr * param.grad
