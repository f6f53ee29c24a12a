import copy
import pickle
import threading

import pytest

from renga_core.link import Chain, Link, LinkHook, get_link_hooks
from renga_core.link.link_hook import watchers


class Twice(Link):
    def forward(self, x, offset=0):
        return 2 * x + offset


class Log(LinkHook):
    def __init__(self, name="Log"):
        self.name = name
        self.events = []

    def added(self, link):
        self.events.append(("added", link))

    def deleted(self, link):
        self.events.append(("deleted", link))

    def forward_preprocess(self, args):
        self.events.append(("pre", args.link, args.forward_name, args.args, dict(args.kwargs)))

    def forward_postprocess(self, args):
        self.events.append(("post", args.link, args.forward_name, args.args, dict(args.kwargs), args.out))


def test_watches_all_links_of_the_thread():
    a, b = Twice(), Twice()
    with Log() as log:
        assert get_link_hooks() == {"Log": log}
        a(1, offset=5)
        b(2)
    a(3)
    assert log.events == [
        ("added", None),
        ("pre", a, "forward", (1,), {"offset": 5}),
        ("post", a, "forward", (1,), {"offset": 5}, 7),
        ("pre", b, "forward", (2,), {}),
        ("post", b, "forward", (2,), {}, 4),
        ("deleted", None),
    ]
    assert get_link_hooks() == {}
    assert not watchers


def test_watches_one_link():
    link, other, log = Twice(), Twice(), Log()
    assert link.add_hook(log) is link
    assert link.local_link_hooks == {"Log": log}
    link(1)
    other(1)
    link.delete_hook("Log")
    link(1)
    assert [event[0] for event in log.events] == ["added", "pre", "post", "deleted"]
    assert log.events[0] == ("added", link)
    assert link.local_link_hooks == {}


def test_the_threads_hooks_come_before_the_links_own():
    order = []

    class Named(LinkHook):
        def __init__(self, name):
            self.name = name

        def forward_preprocess(self, args):
            order.append(self.name)

    link = Twice().add_hook(Named("own")).add_hook(Named("own too"))
    with Named("thread"):
        link(1)
    assert order == ["thread", "own", "own too"]


def test_other_threads_are_not_watched():
    with Log() as log:
        thread = threading.Thread(target=Twice(), args=(1,))
        thread.start()
        thread.join()
    assert [event[0] for event in log.events] == ["added", "deleted"]


def test_ends_when_something_is_raised():
    with pytest.raises(TypeError), Log() as log:
        Twice()()
    assert get_link_hooks() == {}
    assert [event[0] for event in log.events] == ["added", "pre", "deleted"]


def test_names_are_unique():
    link = Twice().add_hook(Log())
    with pytest.raises(KeyError, match="Twice has a link hook named 'Log' already"):
        link.add_hook(Log())
    link.add_hook(Log(), name="second")
    with Log(), pytest.raises(KeyError, match="a link hook named 'Log' is active already"), Log():
        pass
    with pytest.raises(KeyError, match="no link hook 'third'; it has: Log, second"):
        link.delete_hook("third")


def test_not_a_hook():
    with pytest.raises(TypeError, match="a link hook is a LinkHook, not function"):
        Twice().add_hook(lambda args: None)


def test_hooks_of_a_copy():
    link = Twice().add_hook(Log())
    for made in (link.copy(), copy.deepcopy(link), pickle.loads(pickle.dumps(link))):
        made(1)
        assert made.local_link_hooks["Log"].events[-1][0] == "post"
        made.delete_hook("Log")
    assert list(link.local_link_hooks) == ["Log"]


def test_a_child_tells_too():
    class Net(Chain):
        def forward(self, x):
            return self.child(x)

    net = Net(child=Twice())
    with Log() as log:
        net(1)
    assert [event[1] for event in log.events] == [None, net, net.child, net.child, net, None]


class Watch(LinkHook):
    """Writes down what it is told; refuses or fails where it is asked to."""

    def __init__(self, name, told, fails=""):
        self.name, self.told, self.fails = name, told, fails

    def _tell(self, event):
        self.told.append((self.name, event))
        if event == self.fails:
            raise RuntimeError(event)

    def added(self, link):
        self._tell("added")

    def forward_preprocess(self, args):
        self._tell("before")

    def forward_postprocess(self, args):
        self._tell("after")

    def forward_aborted(self, args):
        self._tell("aborted")


class Fails(Link):
    def forward(self):
        raise RuntimeError("forward")


def test_hooks_that_began_are_told_of_an_error():
    told = []
    link = Fails().add_hook(Watch("a", told)).add_hook(Watch("b", told))
    told.clear()
    with pytest.raises(RuntimeError, match="forward"):
        link()
    assert told == [("a", "before"), ("b", "before"), ("b", "aborted"), ("a", "aborted")]


def test_an_error_of_a_later_hook_is_told_to_the_earlier_ones():
    told = []
    link = Fails().add_hook(Watch("a", told)).add_hook(Watch("b", told, fails="before"))
    told.clear()
    with pytest.raises(RuntimeError, match="before"):
        link()
    assert told == [("a", "before"), ("b", "before"), ("a", "aborted")]


def test_a_hook_that_refuses_is_not_registered():
    link = Fails()
    with pytest.raises(RuntimeError, match="added"):
        link.add_hook(Watch("a", [], fails="added"))
    assert link.local_link_hooks == {}
    with pytest.raises(RuntimeError, match="added"), Watch("a", [], fails="added"):
        pass
    assert get_link_hooks() == {}
