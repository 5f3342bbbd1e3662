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


def test_students_t_is_the_tables_and_scipys():
    # Two-sided, 95 %: 12.706, 4.303, 2.776, 2.262, 1.984 for 1, 2, 4, 9, 99 degrees of freedom.
    for df, t in ((1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (99, 1.984)):
        assert stats.student_t(df) == pytest.approx(t, abs=5e-4)
    scipy = pytest.importorskip("scipy.stats")
    for df in (1, 2, 3, 4, 5, 10, 31, 200):
        for level in (0.5, 0.95, 0.99):
            assert stats.student_t(df, level) == pytest.approx(scipy.t.ppf((1 + level) / 2, df), rel=1e-9)


def test_interval_of_the_mean():
    # Of 1 to 5: mean 3, standard error sqrt(2.5 / 5), t(4) = 2.776445.
    low, high = stats.interval([1, 2, 3, 4, 5])
    assert (low, high) == (
        pytest.approx(3 - 2.776445 * 0.5**0.5, rel=1e-6),
        pytest.approx(3 + 2.776445 * 0.5**0.5, rel=1e-6),
    )
    assert stats.interval([7]) is None and stats.interval([]) is None
    assert stats.interval([4, 4, 4]) == (4, 4)


def test_means_over_a_span_leave_out_what_is_lost():
    t = np.array([0.0, 0.2, 0.4, 0.6, 1.2, 1.4])
    v = np.array([1.0, np.nan, 3.0, 5.0, np.nan, np.nan])
    at, mean = stats.means_over(t, v, 0.5)
    assert at.tolist() == [0.25, 0.75, 1.25] and mean[:2].tolist() == [2.0, 5.0] and np.isnan(mean[2])
    assert stats.means_over(t[:0], v[:0], 0.5)[0].size == 0
