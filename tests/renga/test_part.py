"""Arguments against signatures."""

import pytest

from renga.run import Choice, RunDescription
from renga.run.part import find_part
from renga_core.kinds import OPTIMIZER
from renga_core.plugin import PluginManager, Provider, UnknownProvider, hookimpl, using_manager
from renga_core.settings import SettingsError, UnknownSetting, WrongType


class Plain:
    """Annotations of the kinds that a signature can have; the quoted one names nothing at run time."""

    def __init__(
        self,
        rate: float,
        units: "int | tuple[int, ...]" = 1,
        unknown: "NowhereToBeFound | None" = None,  # noqa: F821
        unannotated=None,
        /,
        *,
        flag: bool = False,
    ) -> None:
        self.given = (rate, units, unknown, unannotated, flag)


class Named:
    def __init__(
        self,
        rate: float,
        units: "int | tuple[int, ...]" = 1,
        unknown: "NowhereToBeFound | None" = None,  # noqa: F821
        unannotated=None,
        *,
        flag: bool = False,
    ) -> None:
        self.given = (rate, units, unknown, unannotated, flag)


def anything(**options):
    return options


class Options:
    def __init__(self, rate: int) -> None:
        raise AssertionError("only its signature is read")


def failing(rate: float = 1.0):
    raise ValueError("no such rate")


class Plugin:
    @staticmethod
    @hookimpl
    def renga_optimizers():
        def provider(name, target, options=""):
            return Provider(name, f"{__name__}:{target}", 1, "", options=options and f"{__name__}:{options}")

        return [
            provider("named", "Named"),
            provider("anything", "anything"),
            provider("described", "anything", "Options"),
            provider("failing", "failing"),
            provider("positional", "Plain"),
        ]


@pytest.fixture
def find():
    manager = PluginManager(list)
    manager.register("parts", Plugin())

    def find(name, supplied=(), /, **arguments):
        nothing = Choice("")
        run = RunDescription(model=nothing, data=nothing, optimizer=nothing)
        return find_part(OPTIMIZER, Choice(name, arguments), "optimizer", run, supplied)

    with using_manager(manager):
        yield find


def test_arguments_are_converted_as_annotations_say(find):
    part = find("named", rate=1, units=[2, 3], unknown={"any": "thing"}, unannotated=[4], flag=True)
    given = part.make().given
    assert given == (1.0, (2, 3), {"any": "thing"}, [4], True)
    assert type(given[0]) is float
    assert find("named", rate=1).make().given == (1.0, 1, None, None, False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"rat": 1},
            UnknownSetting,
            (
                "unknown key 'optimizer.rat' (from argument). Did you mean 'optimizer.rate'? "
                "Known: optimizer.flag, optimizer.rate, optimizer.unannotated, optimizer.units, optimizer.unknown."
            ),
        ),
        ({"rate": "1"}, WrongType, "optimizer.rate (from argument): expected float, got '1' (str)"),
        (
            {"rate": 1.0, "units": [1, "2"]},
            WrongType,
            "optimizer.units (from argument): expected int or list of int, got [1, '2'] (list)",
        ),
        (
            {"flag": True},
            SettingsError,
            "optimizer.rate is missing: optimizer 'named' (from argument, optimizer.use) requires it",
        ),
    ],
)
def test_what_does_not_fit_the_signature(find, arguments, error, message):
    with pytest.raises(error) as caught:
        find("named", **arguments)
    assert str(caught.value) == message


def test_what_the_run_supplies_is_not_for_the_user_to_give(find):
    assert find("named", ["rate"], units=2).make(rate=3.0).given[:2] == (3.0, 2)
    with pytest.raises(UnknownSetting):
        find("named", ["rate"], rate=1.0)


def test_any_keyword_goes_where_the_signature_takes_any(find):
    assert find("anything", this=1).make() == {"this": 1}


def test_options_of_the_description_come_before_the_signature(find):
    assert find("described", rate=1).make() == {"rate": 1}
    with pytest.raises(WrongType):
        find("described", rate=1.5)
    with pytest.raises(UnknownSetting):
        find("described", rate=1, other=2)


def test_positional_parameters_cannot_be_given_by_name(find):
    with pytest.raises(UnknownSetting):
        find("positional", rate=1.0)


def test_errors_in_the_making_say_what_was_being_made(find):
    with pytest.raises(ValueError, match="no such rate") as caught:
        find("failing").make()
    assert caught.value.__notes__ == [
        "This was optimizer 'failing' (from argument, optimizer.use), while it was being made."
    ]


def test_unknown_names_are_told_with_their_key(find):
    with pytest.raises(UnknownProvider, match=r"^no optimizer named 'nmed' \(from argument, optimizer\.use\)\."):
        find("nmed")
