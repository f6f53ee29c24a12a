"""A tracer that records all events."""

from renga_core.tracer import Tracer

EVENTS = ("apply", "backward", "gradients", "accumulate", "update", "side_effect", "report")


class Listing(Tracer):
    """Records all events: function calls, replacements, begin and end."""

    def __init__(self, name=""):
        self.name = name
        self.seen = []

    def read(self, variable, array):
        self.seen.append(f"{self.name}read")
        return array

    def created(self, variable):
        self.seen.append(f"{self.name}created")

    def changed(self, what, how):
        self.seen.append(f"{self.name}{how} of {type(what).__name__}")

    def chosen(self, operation, implementation):
        self.seen.append(f"{self.name}{operation.name}: {implementation.name}")


def _around(event):
    def see(self, proceed, *args):
        subject = f" {args[0].label}" if event in ("apply", "gradients") else ""
        self.seen.append(f"{self.name}{event}{subject}")
        found = proceed(*args)
        if event in ("backward", "apply"):
            self.seen.append(f"{self.name}end of {event}")
        return found

    return see


for event in EVENTS:
    setattr(Listing, event, _around(event))
