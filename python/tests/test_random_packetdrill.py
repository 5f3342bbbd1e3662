"""python/tools/random_packetdrill.py: what it writes is the model's own."""

from pathlib import Path

from wavetank import _core

TOOLS = Path(__file__).parents[1] / "tools"


def test_the_model_does_what_the_scripts_expect(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import random_packetdrill

    packets = 0
    for seed in range(8):
        drawn = random_packetdrill.draw(seed)
        report = _core.packetdrill(drawn.expected(), "6.12", 100)
        assert (report["verdict"], report["skipped"]) == ("pass", []), seed
        assert report["printed"] == drawn.printed
        packets += report["checked"]
    assert packets > 80
    assert random_packetdrill.draw(3).expected() == random_packetdrill.draw(3).expected()


def test_an_expectation_that_the_model_does_not_meet_fails(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import random_packetdrill

    text = random_packetdrill.draw(1).expected()
    line = next(i for i, x in enumerate(text.splitlines()) if "> P." in x)
    without = "\n".join(x for i, x in enumerate(text.splitlines()) if i != line)
    assert _core.packetdrill(without, "6.12", 100)["verdict"] == "fail"


def test_of_bbr_they_end_before_chance_decides(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import random_packetdrill
    from random_packetdrill_bbr import BbrDraw

    gains = set()
    for seed in range(4):
        drawn = random_packetdrill.draw(seed, kind=BbrDraw)
        report = _core.packetdrill(drawn.expected(), "6.12", 100)
        assert (report["verdict"], report["skipped"], report["printed"]) == ("pass", [], drawn.printed), seed
        gains |= {x.split()[drawn.shown.index("bbr_cwnd_gain")] for x in drawn.printed}
    assert "739" in gains and "512" not in gains
