"""The pool of worker processes: answers, errors, deaths."""

from __future__ import annotations

import os

import pytest

from wavetank import workers


def double(x):
    if x == 13:
        raise ValueError("thirteen")
    if x == 99:
        os._exit(3)
    return 2 * x


def test_every_piece_of_work_is_answered_once():
    answers = dict(workers.pool(double, [1, 2, 3, 4, 5, 6, 7], 3))
    assert answers == {i: 2 * (i + 1) for i in range(7)}


@pytest.mark.parametrize("work", [[1, 13, 2], [13, 13]])
def test_an_error_is_raised_again_and_nobody_is_left(work):
    with pytest.raises(ValueError, match="thirteen"):
        list(workers.pool(double, work, 2))
    assert not workers.multiprocessing.active_children()


def test_a_dead_worker_is_told_of():
    with pytest.raises(workers.WorkerDied, match="99"):
        list(workers.pool(double, [99, 1, 2, 3], 2))
    assert not workers.multiprocessing.active_children()


def test_large_answers_cross():
    assert [len(v) for _, v in workers.pool(b"x".__mul__, [10**6, 10**6], 2)] == [10**6] * 2
