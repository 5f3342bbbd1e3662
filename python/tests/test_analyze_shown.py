"""What tables and pictures of an analysis leave out is said, and no kind of flow vanishes."""

import json
from itertools import pairwise

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Canvas

from wavetank.captures import air, analyze, analyze_plot, analyze_rows, analyze_table
from wavetank.lab import plan
from wavetank.plots.style import STYLE
from wavetank.scenario import Scenario

NODES = ["server", "ap", *(f"sta{i}" for i in range(1, 31))]
SPREAD = {"n": 50, "p10": 1.0, "p50": 2.0, "p90": 3.0, "quantiles": [1.0, 2.0, 3.0]}


def flow(station, way="up", protocol="tcp", mbit=1.0):
    ends = [f"10.0.0.{station + 2}:33000", "10.0.0.1:49200"]
    src, dst = ends if way == "up" else ends[::-1]
    return {
        "protocol": protocol, "src": src, "dst": dst, "station": "ap" if way == "down" else f"sta{station}",
        "goodput_mbit": mbit, "rtt_ms": SPREAD if protocol == "tcp" else None, "ack_ms": None, "retransmissions": 2,
        "delivered_bytes": {"begin_s": 0.0, "step_s": 0.1, "values": [mbit * 1e4] * 9},
    }  # fmt: skip


def station(name, share):
    return {
        "name": name, "ppdus": 10, "airtime_fraction": share, "ampdu_hist": [0, 5, 5], "back_to_back": [0, 4, 1],
        "airtime_us": {"begin_s": 0.0, "step_s": 0.1, "values": [share * 1e5] * 9},
    }  # fmt: skip


def rate(mbit, airtime, lost=0.0, name="HT"):
    return {"rate": f"{name} MCS 15, 20 MHz, short GI, {mbit}", "mbit": mbit, "ppdus": 10, "mpdus": 100, "unknown": 0, "loss_rate": lost, "airtime_s": airtime}  # fmt: skip


def document(flows=(), stations=(), links=(), pings=()):
    report = {"frames": {"all": 1}, "flows": flows, "stations": stations, "links": links, "pings": pings}
    return {"file": None, "origin": {"nodes": NODES, "addresses": []}, "report": report}


def cells(table):
    return list(zip(*(c.cells for c in table.columns), strict=True))


def of(title, made):
    return cells(next(t for t in made if t is not None and str(t.title) == title))


def drawn(panel, doc):
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(4.1, 3.7), layout="constrained")
        ax = canvas.subplots()
        assert panel(doc, ax)
        canvas.draw_without_rendering()
    return ax


def legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_a_table_says_what_it_leaves_out_and_what_that_adds_up_to():
    flows = [*(flow(i, mbit=20.0) for i in range(1, 27)), flow(27, protocol="udp"), flow(28, protocol="udp")]
    stations = [station(f"sta{i}", 0.02) for i in range(1, 31)]
    pings = [{"src": f"10.0.0.{i + 2}", "dst": "10.0.0.1", "rtt_ms": SPREAD} for i in range(1, 31)]
    made = analyze_table.tables(document(flows, stations, pings=pings))
    tcp, udp = of("Flows", made)[-2:]
    assert (tcp[0], tcp[1], tcp[3], tcp[-1]) == ("tcp", "and 2 more", "40", "4")
    assert (udp[0], udp[1], udp[3], udp[-1]) == ("udp", "and 2 more", "2", "")
    last = of("Transmitters", made)[-1]
    assert (last[0], last[1], last[-1]) == ("and 6 more", "60", "12.0 %")
    assert of("Pings, as seen on the air", made)[-1][0] == "and 6 more"
    # one more than there is room for takes the place of the sentence
    made = analyze_table.tables(document(flows[:25]))
    assert len(of("Flows", made)) == 25 and all("more" not in r[1] for r in of("Flows", made))


def test_of_a_flent_file_there_is_what_it_has(tmp_path, canvases):
    """Two of six panels were empty, seven of ten columns had dashes alone, and of RRUL's flows six were drawn."""
    marks, x = ("BE", "BK", "CS5", "EF"), list(range(8))
    series = {f"TCP {way} {m}": [1.0] * 8 for way in ("upload", "download") for m in marks}
    path = tmp_path / "rrul.flent"
    path.write_text(
        json.dumps({"version": 4, "metadata": {"NAME": "rrul", "LENGTH": 4}, "x_values": x, "results": series})
    )
    doc = analyze.load(path)
    (table,) = (t for t in analyze_table.tables(doc) if t is not None)
    assert [str(c.header) for c in table.columns] == ["", "flow", "goodput Mbit/s"]
    analyze_plot.save(doc, tmp_path)
    (ax,) = canvases[-1].axes
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(ax.lines) == len(looks) == 8 and len({c for c, _ in looks}) == 4
    assert " kB" in analyze.heading(doc | {"wall_s": 0.1})


def test_rates_that_were_hardly_used_are_a_row_of_their_link():
    probes = [rate(10.0 + i, 0.01, lost=0.5) for i in range(7)]
    links = [{"from": "sta1", "to": "ap", "rates": [*probes, *(rate(100.0 + i, 1.0) for i in range(4))]}]
    # of one link there is room for all
    assert len(of("Rates", analyze_table.tables(document(links=links)))) == 11
    several = [{**links[0], "from": f"sta{i}"} for i in range(1, 6)]
    rows = of("Rates", analyze_table.tables(document(links=several)))
    assert [r[2] for r in rows[:4]] == ["100", "101", "102", ""]
    assert rows[3] == ("sta1 → ap", "and 8 more", "", "80", "800", "43.8 %", "1.07")
    assert len(rows) == 5 * 4 and len({r[0] for r in rows}) == 5, "each link has its rows"
    many = [{**links[0], "from": f"sta{i}"} for i in range(1, 15)]
    rows = of("Rates", analyze_table.tables(document(links=many)))
    assert len(rows) == 25 and rows[-1][:2] == ("and 22 more rates", "")
    assert sum(int(r[3].replace(",", "")) for r in rows) == 14 * 11 * 10, "nothing is lost between rows"


def test_kinds_take_turns_and_owners_within_them():
    rows = [("up", 1), ("up", 1), ("up", 2), ("up", 3), ("down", 1), ("down", 1), ("down", 2), ("call", 9)]
    some = analyze_rows.chosen(rows, 4, lambda r: r[0], lambda r: r[1])
    assert some == [("up", 1), ("up", 2), ("down", 1), ("call", 9)]
    assert analyze_rows.chosen(rows, 7, lambda r: r[0], lambda r: r[1]) == rows


def test_no_kind_of_flow_vanishes_from_a_picture():
    flows = [flow(i, mbit=30.0 - i) for i in range(1, 21)] + [flow(i, "down", mbit=2.0) for i in range(1, 9)]
    flows += [flow(30, "up", "udp", 0.07), flow(30, "down", "udp", 0.07)]
    told = legend(drawn(analyze_plot._goodput_panel, document(flows)))
    assert len(told) == 7 and told[-1].startswith("and 24 more (")
    assert sum(t.startswith("UDP ") for t in told) == 2 and sum(t.startswith("server:49200 → ") for t in told) == 2
    told = legend(drawn(analyze_plot._rtt_panel, document(flows)))
    assert told[-1] == "and 23 more of TCP" and sum(" → sta" in t for t in told) == 2


def test_pictures_say_how_many_stations_they_leave_out():
    doc = document(stations=[station(f"sta{i}", 0.02) for i in range(1, 31)])
    for panel, last in (
        (analyze_plot._ampdu_panel, "and 24 more"),
        (analyze_plot._runs_panel, "and 24 more"),
        (analyze_plot._airtime_panel, "and 24 more (48 %)"),
    ):
        told = legend(drawn(panel, doc))
        # a legend of three columns is filled column by column, and read row by row: its seventh entry stands below the first
        assert told[2 if panel is analyze_plot._airtime_panel else -1] == last
        assert sorted(set(told) - {last}) == sorted(t for t in told if t.startswith("sta")) and len(told) == 7
    # who has another's colour is dashed
    crowd = document(stations=[station(f"sta{i}", 0.1) for i in (1, 7, 13, 2)])
    lines = drawn(analyze_plot._airtime_panel, crowd).lines
    assert len({(x.get_color(), x.get_linestyle()) for x in lines}) == 4


@pytest.mark.parametrize("count", [4, 40])
def test_names_of_rates_do_not_run_into_each_other(count):
    links = [{"from": "a", "to": "b", "rates": [rate(10.0 + i, 1.0) for i in range(count)]}]
    ax = drawn(analyze_plot._rates_panel, document(links=links))
    boxes = sorted((t.get_window_extent() for t in ax.get_yticklabels()), key=lambda b: b.y0)
    assert all(low.y1 <= high.y0 for low, high in pairwise(boxes))
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names[0] == "30 others" if count > 11 else len(names) == count


def test_legends_lie_beside_curves():
    s = Scenario.load(plan.ROOT / "scenarios" / "thesis-ath9k.toml")
    s = s.set({"time.flows": "2 s", "time.lead_in": "500 ms", "time.tail": "0 s", "time.warmup": "500 ms"})
    seen = air.watch(s.set({"wifi.stations": 5, "traffic.tcp_up": 2, "traffic.tcp_down": 2}), 1, analysis=True)
    for panel in (analyze_plot._airtime_panel, analyze_plot._goodput_panel, analyze_plot._rtt_panel):
        ax = drawn(panel, seen.analysis)
        box = ax.get_legend().get_window_extent()
        assert ax.get_legend().get_frame().get_visible()
        for line in ax.lines:
            points = ax.transData.transform(line.get_xydata())
            assert not any(box.contains(*p) for p in points), panel.__name__
