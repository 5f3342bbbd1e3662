"""Rows of several access categories: read, judged by numbers worked by hand, and by ns-3's own."""

import pytest

from wavetank import UserError, _core
from wavetank.validate import dcf, dcf_categories

ROW = {
    "std": "n", "mode": "HtMcs7", "dir": "up", "width_mhz": "40", "stations": "2", "max_ampdu_bytes": "0", "sgi": "1", "rts": "0",
    "udp_payload": "1472", "ba_window": "64", "categories": "VI|BE", "txop": "0", "goodput_mbit": "50", "goodput_sd": "0.1",
    "vo_mbit": "", "vo_sd": "", "vi_mbit": "40", "vi_sd": "0.2", "be_mbit": "10", "be_sd": "1", "bk_mbit": "", "bk_sd": "",
}  # fmt: skip


def load(tmp_path, **cells):
    row = {**ROW, **cells}
    path = tmp_path / "x.csv"
    path.write_text(
        "\n".join([",".join(k for k in row if row[k] is not None), ",".join(v for v in row.values() if v is not None)])
    )
    return dcf.load(path)


def test_each_category_is_a_metric(tmp_path):
    (row,) = load(tmp_path)
    assert dcf.name(row) == "n-HtMcs7-40MHz-single-2sta-vi|be"
    assert dcf.bianchi(row) is None
    held = dcf.judge(row, {"vi": 43.3, "be": 8.1}, None)
    assert [(r.metric, r.ours, r.ok) for r in held] == [
        ("goodput_mbit", pytest.approx(51.4), True),
        ("vi_mbit", 43.3, False),  # 8 % is 43.2
        ("be_mbit", 8.1, True),  # two standard deviations
    ]
    assert [(r.metric, r.ok, r.reason) for r in dcf.judge(row, "no such card", None)] == [
        ("goodput_mbit", None, "no such card")
    ]


def test_a_station_may_have_several_and_the_name_says_what_the_limits_are(tmp_path):
    (row,) = load(tmp_path, categories="BE|VI+BE", txop="1")
    assert dcf.name(row).endswith("-2sta-be|vi+be-txop")
    assert dcf_categories.sent(row) == ["vi", "be"]


def test_a_category_without_its_own_limit_loses_to_one_with(tmp_path):
    without, limits = (load(tmp_path, txop=txop)[0] for txop in ("0", "1"))
    few, many = (_core.dcf_categories(row, 1, 1.0) for row in (without, limits))
    assert few[0] == few[3] == many[0] == 0
    assert many[1] > few[1] and many[2] < few[2] / 2


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"categories": "VI|BEE"}, '2: column "categories": "VI|BEE": "BEE" is no category; expected VO, VI, BE or BK'),
        ({"categories": "vi|BE"}, '"vi" is no category'),
        ({"categories": ""}, '"" is no category'),
        ({"categories": "VI+VI|BE"}, "VI is there twice in one station"),
        ({"categories": "VI|BE|BE"}, '2: categories: "VI|BE|BE" is for 3 stations, expected at most 2, one each'),
        (
            {"std": "a", "mode": "OfdmRate54Mbps", "width_mhz": "20"},
            "stations of 802.11a have no QoS; expected BE alone",
        ),
        ({"txop": "2"}, '2: txop: "2", expected one of 0, 1'),
        ({"be_mbit": ""}, '2: be_mbit: "", expected a number that is not negative'),
        ({"vi_sd": "-1"}, '2: vi_sd: "-1", expected a number that is not negative'),
        ({"bk_mbit": "1"}, "2: bk_mbit and bk_sd: expected nothing, no station sends BK"),
        ({"be_sd": None}, '1: the column "be_sd" is missing'),
        ({"be_mbit": None, "be_mbits": "1"}, '1: unknown column "be_mbits", expected std, '),
    ],
)
def test_a_row_that_is_none_is_told_with_its_line(tmp_path, cells, says):
    with pytest.raises(UserError) as e:
        load(tmp_path, **cells)
    assert says in str(e.value)


#: docs/reference-data.md says why.
MISS = {
    *(("n-HtMcs7-20MHz-single-4sta-vo|vi|be|bk-txop", f"{ac}_mbit") for ac in dcf_categories.ALL),
    ("ax-HeMcs5-80MHz-single-ba256-2sta-vi|be-txop", "be_mbit"),
    *(("n-HtMcs5-40MHz-ampdu-2sta-vi|be-txop", f"{ac}_mbit") for ac in ("vi", "be")),
    *(("ac-VhtMcs2-80MHz-ampdu-3sta-vo|vi|be-txop", f"{ac}_mbit") for ac in ("vo", "vi")),
    ("ac-VhtMcs7-80MHz-ampdu1048575-2sta-vi|be-txop", "be_mbit"),
    *(("ax-HeMcs3-40MHz-ampdu-ba256-3sta-vi|be|be+bk-txop", f"{ac}_mbit") for ac in ("vi", "be")),
}


def test_ns3s_rows_hold():
    """`validate dcf --categories`: all but those whose reason is known."""
    report = dcf.validate(dcf.CATEGORIES)
    assert len(report.cases()) == len(dcf.load(dcf.CATEGORIES))
    assert {(r.name, r.metric) for r in report.rows if not r.ok} == MISS
