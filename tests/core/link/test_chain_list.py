import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.link import ChainList, Link

operations = st.lists(
    st.one_of(
        st.tuples(st.just("append")),
        st.tuples(st.just("insert"), st.integers(-6, 6)),
        st.tuples(st.just("pop"), st.integers(-6, 6)),
        st.tuples(st.just("set"), st.integers(-6, 6)),
        st.tuples(st.just("del"), st.integers(-6, 6), st.integers(-6, 6)),
        st.tuples(st.just("replace"), st.integers(-6, 6), st.integers(0, 3)),
        st.tuples(st.just("reverse")),
        st.tuples(st.just("clear")),
        st.tuples(st.just("extend"), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 6)),
    ),
    max_size=12,
)


def apply(target, operation, make):
    name, *numbers = operation
    if name in ("append", "insert"):
        getattr(target, name)(*numbers, make())
    elif name in ("pop", "reverse", "clear"):
        getattr(target, name)(*numbers)
    elif name == "set":
        target[numbers[0]] = make()
    elif name == "del":
        del target[numbers[0] : numbers[1]]
    elif name == "replace":
        target[numbers[0] : numbers[0] + 1] = [make() for _ in range(numbers[1])]
    elif name == "extend":
        target.extend([make() for _ in range(numbers[0])])
    elif name == "remove":
        target.remove(target[numbers[0]])


@given(operations)
def test_behaves_as_a_list_does(steps):
    links = [Link(W=1) for _ in range(60)]
    ours, theirs = ChainList(), []
    for step in steps:
        outcomes = []
        for target in (ours, theirs):
            supply = iter(links)
            used = {id(link) for link in theirs} if target is theirs else {id(link) for link in ours}
            try:
                apply(target, step, lambda: next(link for link in supply if id(link) not in used))  # noqa: B023
            except (IndexError, ValueError) as error:
                outcomes.append(type(error))
        assert outcomes in ([], [IndexError] * 2, [ValueError] * 2)
        assert list(ours) == theirs
        assert len(ours) == len(theirs)
        assert [link.name for link in ours] == [str(i) for i in range(len(theirs))]
        assert [path for path, _ in ours.namedparams()] == [f"/{i}/W" for i in range(len(theirs))]


def test_slices_membership_and_positions():
    a, b, c = Link(), Link(), Link()
    links = ChainList(a, b, c)
    assert links[1:] == [b, c]
    assert links[-1] is c
    assert b in links
    assert links.index(c) == 2
    assert links.count(a) == 1
    links.add_link(Link())
    assert len(links) == 4


def test_holds_links_only():
    links = ChainList(Link())
    for change in (lambda: links.append(abs), lambda: links.insert(0, abs), lambda: links.__setitem__(0, abs)):
        with pytest.raises(TypeError, match="is not a Link; a ChainList holds links only"):
            change()
    with pytest.raises(TypeError):
        links[:] = [Link(), abs]
    assert len(links) == 1


def test_a_link_in_a_scope_is_refused():
    links = ChainList()
    with pytest.raises(TypeError, match=r"append the link if this is a ChainList"), links.init_scope():
        links.child = Link()
