"""``chainer.testing.condition``: repeats tests that depend on random numbers."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from typing import Any

__all__ = ["QuietTestRunner", "repeat", "repeat_with_success_at_least", "retry"]


class QuietTestRunner:
    """Runs tests and prints nothing."""

    def run(self, suite: Any) -> unittest.TestResult:
        """Run a test or a suite."""
        result = unittest.TestResult()
        suite(result)
        return result


def repeat_with_success_at_least(times: int, min_success: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Decorate a test: run it up to `times` times, with a new instance each time; it passes with `min_success`."""
    if not times >= min_success:
        raise ValueError(f"{times} tries cannot succeed {min_success} times")

    def decorate(test: Callable[..., Any]) -> Callable[..., None]:
        @functools.wraps(test)
        def repeated(self: unittest.TestCase, *args: Any, **kwargs: Any) -> None:
            succeeded, errors = 0, list[str]()
            while succeeded < min_success and len(errors) <= times - min_success:
                trial = type(self)(self._testMethodName)
                body = functools.partial(_without_pytests_skip, test, trial, *args, **kwargs)
                functools.update_wrapper(body, test)  # unittest needs the name of the function
                case = unittest.FunctionTestCase(body, trial.setUp, trial.tearDown)
                result = QuietTestRunner().run(case)
                if result.skipped:
                    self.skipTest(result.skipped[0][1])
                elif result.wasSuccessful():
                    succeeded += 1
                else:
                    errors.append((result.failures + result.errors)[0][1])
            if succeeded < min_success:
                self.fail(f"{len(errors)} tries failed, {succeeded} succeeded. The first error:\n{errors[0]}")

        return repeated

    return decorate


def repeat(times: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Decorate a test: it passes if it succeeds `times` times in a row."""
    return repeat_with_success_at_least(times, times)


def retry(times: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Decorate a test: it passes if it succeeds once in `times` times."""
    return repeat_with_success_at_least(times, 1)


def _without_pytests_skip(test: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Turn the skip exception of pytest into that of unittest."""
    try:
        test(*args, **kwargs)
    except BaseException as error:
        pytest = sys.modules.get("pytest")
        if pytest is not None and isinstance(error, pytest.skip.Exception):
            raise unittest.SkipTest(str(error)) from error
        raise
