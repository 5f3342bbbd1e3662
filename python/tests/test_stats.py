import numpy as np
import pytest

from wavetank import stats


def test_quantiles_leave_out_what_is_lost():
    q = stats.quantiles([1, 2, 3, 4, 5, float("nan")])
    assert (q["p50"], q["mean"]) == (3, 3)
    assert (q["p10"], q["p90"]) == (pytest.approx(1.4), pytest.approx(4.6))
    assert stats.quantiles([])["p50"] is None


def test_jain():
    assert stats.jain([5, 5, 5, 5]) == pytest.approx(1)
    assert stats.jain([1, 0, 0, 0]) == pytest.approx(0.25)
    assert stats.jain([0.0]) is None


def test_standard_error():
    # Of 1, 2, 3, 4: deviation sqrt(5/3), divided by 2.
    assert stats.standard_error([1, 2, 3, 4]) == pytest.approx((5 / 3) ** 0.5 / 2)
    assert stats.standard_error([1]) == 0


def test_ampdu_of_a_histogram():
    h = np.zeros(65)
    h[1], h[32] = 25, 75
    a = stats.ampdu(h)
    assert a == {"mean": pytest.approx((25 + 32 * 75) / 100), "p50": 32, "p90": 32, "single_fraction": 0.25}
    h[1], h[32] = 50, 50
    assert stats.ampdu(h)["p50"] == 1
    assert stats.ampdu(np.zeros(65))["mean"] is None
