"""Commands that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import logging
import os
import sys

from renga_core.command_line import Parser


class Right:
    """Takes one option: the rest of this file derives from it. To call it is to run it."""

    def __new__(cls, argv):
        return cls.run(argv)

    @classmethod
    def parser(cls):
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__).strip("_")
        parser = Parser(f"renga {name}", "Says hello.")
        parser.add_argument("--loud", action="store_true", help="say it in capitals")
        return parser

    @classmethod
    def run(cls, argv):
        cls.parser().parse_all(argv)
        return 0


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Help(Right):
    """its name is that of the list of commands"""

    breaks = "test_name"


class FailsToHelp(Right):
    """help ends with status 1"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        cls.parser().print_help()
        return 1


class NoStatus(Right):
    """it returns nothing"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        cls.parser().print_help()


class HelpsOnStderr(Right):
    """help goes to stderr"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        cls.parser().print_help(sys.stderr)
        return 0


class AnotherName(Right):
    """its usage names another program"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        Parser("hello", "Says hello.").parse_all(argv)
        return 0


class MakesItsFolder(Right):
    """it makes a folder before it looks at its arguments"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        os.makedirs("hello", exist_ok=True)
        return super().run(argv)


class SetsUpLogging(Right):
    """it sets up logging for the whole program"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        logging.getLogger().addHandler(logging.StreamHandler())
        return super().run(argv)


class ChangesTheProcess(Right):
    """it gives the process other arguments"""

    breaks = "test_help"

    @classmethod
    def run(cls, argv):
        sys.argv = ["hello", *argv]
        return super().run(argv)


class ReadsTheProcess(Right):
    """it reads the arguments of the process"""

    breaks = "test_arguments"

    @classmethod
    def run(cls, argv):
        return super().run(sys.argv[2:])


class TakesArgumentsAway(Right):
    """it takes arguments out of the list that it is given"""

    breaks = "test_arguments"

    @classmethod
    def run(cls, argv):
        rest = argv if isinstance(argv, list) else list(argv)
        first = rest.pop(0)
        return super().run([first])


class Tolerant(Right):
    """it passes over options that it does not know"""

    breaks = "test_unknown_option"

    @classmethod
    def run(cls, argv):
        cls.parser().parse_known_args(argv)
        return 0


class Raises(Right):
    """a wrong option is a ValueError"""

    breaks = "test_unknown_option"

    @classmethod
    def run(cls, argv):
        if argv[0].startswith("--no"):
            raise ValueError(argv[0])
        return super().run(argv)


class ArgparseAsItIs(Right):
    """to a wrong option it answers with its usage"""

    breaks = "test_unknown_option"

    @classmethod
    def run(cls, argv):
        import argparse

        parser = argparse.ArgumentParser("renga argparse_as_it_is")
        parser.parse_args(argv)
        return 0


class ComplainsToStdout(Right):
    """what is wrong is said on stdout"""

    breaks = "test_unknown_option"

    @classmethod
    def run(cls, argv):
        if argv[0].startswith("--no"):
            print(f"there is no option {argv[0]}")
            return 2
        return super().run(argv)


class Heavy(Right):
    """it imports a library before it looks at its arguments"""

    breaks = "test_in_a_process_of_its_own"

    @classmethod
    def run(cls, argv):
        import iniconfig  # noqa: F401  (pytest brings it)

        return super().run(argv)


class Announces(Right):
    """it greets on stderr before it prints its help"""

    breaks = "test_in_a_process_of_its_own"

    @classmethod
    def run(cls, argv):
        if "pytest" not in sys.modules:
            print("welcome", file=sys.stderr)
        return super().run(argv)
