import os
import signal
import threading

import pytest

from renga_training.interrupt import deferred_interrupt


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_is_noted_and_said(capfd):
    with deferred_interrupt() as interruption:
        assert not interruption.requested
        press_ctrl_c()
        assert interruption.requested
        interruption.requested = False
    assert "Press Ctrl-C again" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_is_raised_at_once():
    reached = []

    def press_twice():
        press_ctrl_c()
        reached.append(1)
        press_ctrl_c()
        reached.append(2)

    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        press_twice()
    assert reached == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_request_that_nobody_acted_on_is_not_lost():
    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        press_ctrl_c()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_goes_first():
    def press_and_fail():
        press_ctrl_c()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), deferred_interrupt():
        press_and_fail()


def test_a_handler_of_ones_own_and_ignoring_are_left():
    seen = []
    for handler in (lambda *args: seen.append(1), signal.SIG_IGN):
        before = signal.signal(signal.SIGINT, handler)
        try:
            with deferred_interrupt() as interruption:
                press_ctrl_c()
                assert not interruption.requested
                assert signal.getsignal(signal.SIGINT) is handler
        finally:
            signal.signal(signal.SIGINT, before)
    assert seen == [1]


def test_other_threads_leave_it_alone():
    seen = []

    def work():
        with deferred_interrupt():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
