"""Function hooks that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

from renga_core.configuration import config
from renga_core.graph import FunctionHook, get_function_hooks
from renga_core.link import LinkHook


class Right(FunctionHook):
    """Counts calls that have ended: the rest of this file derives from it."""

    name = "right"

    def __init__(self):
        self.running = []
        self.calls = []

    def begin(self, function, arrays):
        self.running.append(function.label)

    def end(self, function, arrays):
        self.calls.append(self.running.pop())

    def abort(self, function):
        self.running.pop()

    def forward_preprocess(self, function, in_data):
        self.begin(function, in_data)

    def forward_postprocess(self, function, in_data):
        self.end(function, in_data)

    def forward_aborted(self, function, in_data):
        self.abort(function)

    def backward_preprocess(self, function, in_data, out_grad):
        self.begin(function, out_grad)

    def backward_postprocess(self, function, in_data, out_grad):
        self.end(function, out_grad)

    def backward_aborted(self, function, in_data, out_grad):
        self.abort(function)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class NoHook:
    """it is no hook"""

    breaks = "test_what_it_is"
    name = "no hook"


class Nameless(Right):
    """its name is empty"""

    breaks = "test_what_it_is"
    name = ""


class NotRegistered(Right):
    """entered, it does not register itself"""

    breaks = "test_with"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        pass


class ReturnsNothing(Right):
    """entering it gives None"""

    breaks = "test_with"

    def __enter__(self):
        super().__enter__()


class LeavesALinkHook(Right):
    """the hook of links that it brings along stays"""

    breaks = "test_with"

    def __enter__(self):
        super().__enter__()

        class OfLinks(LinkHook):
            name = "of links"

        self.of_links = OfLinks()
        self.of_links.__enter__()
        return self


class Scales(Right):
    """it scales what goes into functions"""

    breaks = "test_results"

    def begin(self, function, arrays):
        super().begin(function, arrays)
        for array in arrays:
            if array.dtype.kind == "f":
                array *= 0.5


class ZeroesSmall(Right):
    """it makes gradients of half precision zero where they are small"""

    breaks = "test_results[float16]"

    def backward_preprocess(self, function, in_data, out_grad):
        super().backward_preprocess(function, in_data, out_grad)
        for array in out_grad:
            if array.dtype == "float16":
                array[abs(array) < 0.3] = 0


class Clears(Right):
    """it clears the gradients that came in, when they have been used"""

    breaks = "test_arrays_are_unchanged"

    def backward_postprocess(self, function, in_data, out_grad):
        super().backward_postprocess(function, in_data, out_grad)
        for array in out_grad:
            array[...] = 0


class Demanding(Right):
    """it takes each output to have a gradient"""

    breaks = "test_any_arrays"

    def backward_preprocess(self, function, in_data, out_grad):
        super().backward_preprocess(function, in_data, out_grad)
        self.largest = [abs(array).max() for array in out_grad]


class LooksAtTheFirst(Right):
    """it looks at the largest element, where there is none"""

    breaks = "test_any_arrays"

    def begin(self, function, arrays):
        super().begin(function, arrays)
        self.largest = [array.max() for array in arrays if array is not None]


class KeepsArrays(Right):
    """it keeps the inputs of all functions"""

    breaks = "test_memory"

    def forward_postprocess(self, function, in_data):
        super().forward_postprocess(function, in_data)
        self.calls.append(in_data)


class KeepsFunctions(Right):
    """it keeps all functions"""

    breaks = "test_memory"

    def end(self, function, arrays):
        super().end(function, arrays)
        self.calls.append(function)


class OneAtATime(Right):
    """after an error in a function it takes the next to lie within it"""

    breaks = "test_error"

    def begin(self, function, arrays):
        if self.running:
            raise RuntimeError(f"{function.label} lies within {self.running[-1]}")
        super().begin(function, arrays)

    def abort(self, function):
        pass


class Renames(Right):
    """it makes another error of a function's error"""

    breaks = "test_error"

    def abort(self, function):
        raise RuntimeError(f"{function.label} has failed")


class Swallows(Right):
    """it swallows errors of the block"""

    breaks = "test_error_in_the_block"

    def __exit__(self, kind, error, traceback):
        super().__exit__(None, None, None)
        return True


class StaysAfterAnError(Right):
    """after an error in the block it stays"""

    breaks = "test_error_in_the_block"

    def __exit__(self, kind, error, traceback):
        if error is None:
            super().__exit__(kind, error, traceback)


class OnlyOnce(Right):
    """when it has watched, it is closed for good"""

    breaks = "test_again"

    def deleted(self, function):
        self.running = None


class Replaces(Right):
    """it takes the place of another of its name"""

    breaks = "test_name_taken"

    def __enter__(self):
        get_function_hooks().pop(self.name, None)
        return super().__enter__()

    def __exit__(self, kind, error, traceback):
        if get_function_hooks().get(self.name) is self:
            super().__exit__(kind, error, traceback)


class Alone(Right):
    """it takes other hooks away"""

    breaks = "test_with_others"

    def added(self, function):
        hooks = get_function_hooks()
        for name in [name for name in hooks if name != self.name]:
            hooks[name] = FunctionHook()


class OnlyGlobally(Right):
    """what it needs is made by `with`"""

    breaks = "test_of_one_function"

    def __init__(self):
        pass

    def __enter__(self):
        super().__init__()
        return super().__enter__()


class WithoutEnd(Right):
    """taken away from one function, it stays with all others"""

    breaks = "test_of_one_function"

    def added(self, function):
        if function is not None:
            config.function_hooks = {self.name: self}


class OneNumber(Right):
    """all of them count calls in one place"""

    breaks = "test_threads"
    numbers = itertools.count()
    latest = -1

    def begin(self, function, arrays):
        self.running.append(next(self.numbers))
        type(self).latest = max(self.latest, self.running[-1])

    def end(self, function, arrays):
        number = self.running.pop()
        if number != self.latest:
            raise RuntimeError("another call has begun meanwhile")
        type(self).latest = -1
