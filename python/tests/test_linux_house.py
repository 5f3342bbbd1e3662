"""A house of stations that differ, as the second water is given it; no kernel."""

from __future__ import annotations

from collections import Counter

import pytest

import wavetank
from wavetank import UserError, linux
from wavetank.linux.translate import translate
from wavetank.validate import linux_draw_house

HOUSE = {
    "name": "house",
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "ax", "mcs": 9, "streams": 2, "width_mhz": 80, "stations": 5},
    "ap": {"driver": "mt76"},
    "sta": {"driver": "mt76"},
    "stations": {
        "driver": "mt76, ath10k, ath9k, mt76",
        "mcs": "9, 7, 15, 4, 11",
        "streams": "2, 1, 1, 1",
        "width_mhz": "80, 80, 20, 40",
    },
}


def house(**sets: object) -> wavetank.Scenario:
    return wavetank.Scenario.from_dict(HOUSE).set({k.replace("__", "."): v for k, v in sets.items()})


def test_each_card_has_its_driver_and_each_link_its_mode():
    radio = translate(house()).case["radio"]
    assert radio["mode"] == [4, 4, 2, 0, 4], "linux/radio/params.h enum wt_mode"
    assert radio["standard"] == [3, 3, 2, 1, 3], "802.11ax, but for an ath10k and an ath9k"
    assert (radio["vht"], radio["he"]) == (True, True)
    assert radio["fixed_mcs"] == [9, 9, 7, 15, 4, 11]
    assert radio["streams"] == [2, 2, 1, 2, 1, 2], "of 802.11n the MCS says it"
    assert radio["fixed_mhz"] == [80, 80, 80, 20, 40, 80]
    assert radio["density"] == [5, 5, 6, 6, 5], "4 us of mt76, 8 us of the others"
    assert "fixed_mcs_up" not in radio


def test_what_a_card_takes_depends_on_its_standard():
    radio = translate(house()).case["radio"]
    assert radio["max_bytes"][4] == 6_500_631
    assert radio["max_bytes"][2] == 2**20 - 1, "ath10k is of 802.11ac there"
    assert radio["amsdu_bytes"][4] == 7991 - 30
    assert radio["amsdu_ht_bytes"][4] == 4095 - 30, "to a station of 802.11n"


def test_stations_may_send_at_an_mcs_of_their_own():
    radio = translate(house(stations__mcs_up="9, 4, 7")).case["radio"]
    assert radio["fixed_mcs_up"] == [9, 9, 4, 7, 4, 11]
    assert radio["streams"][3] == 2, "what is sent to it has two"


def test_rate_control_has_the_cards_of_the_scenario():
    n = {"wifi.standard": "n", "wifi.mcs": 15, "wifi.width_mhz": 20, "wifi.short_gi": False, "wifi.stations": 3}
    plain = wavetank.Scenario.from_dict({"name": "rc", "topology": {"kind": "wifi"}}).set(n)
    minstrel = plain.set({"ap.rate_control": "minstrel_ht", "sta.rate_control": "minstrel_ht", "stations.mcs": "15, 7"})
    radio = translate(minstrel).case["radio"]
    assert (radio["streams"], radio["fixed_mhz"], radio["fixed_sgi"]) == ([2, 2, 1, 2], 20, False)
    assert "fixed_mcs" not in radio
    with pytest.raises(UserError, match=r"stations\.mcs_up = 3: cannot be had on linux: under rate control"):
        translate(minstrel.set({"stations.mcs_up": "3"}))


def test_rates_of_stations_of_an_older_standard_are_fixed():
    with pytest.raises(wavetank.ScenarioError, match="their firmware chooses"):
        translate(house(sta__rate_control="minstrel_ht"))
    only = house(
        sta__rate_control="minstrel_ht", stations__driver="ath9k*5", stations__mcs="15*5", stations__width_mhz="40*5"
    )
    with pytest.raises(UserError, match=r"sta\.rate_control = minstrel_ht: cannot be had on linux: .* are fixed"):
        translate(only)


def test_losses_are_by_mcs_over_all_streams():
    """802.11ac's MCS 3 of two streams is the fourteenth of its table, as the model counts (`wifi.mcs_error`)."""
    ac = {"wifi.standard": "ac", "wifi.streams": 2, "wifi.mcs": 3, "wifi.mcs_error": "0*13, 0.5, 1"}
    ends = {"ap.driver": "ath10k", "sta.driver": "ath10k"}
    s = wavetank.Scenario.from_dict({"name": "x", "topology": {"kind": "wifi"}}).set(ac | ends)
    assert translate(s).case["radio"]["error_ppm"] == [0] * 13 + [500_000, 1_000_000]


def test_channels_are_of_each_links_modes():
    """A link's part: 8 bytes, then steps of 4 and 4 a mode: 12 MCSs of 802.11ax, 10 of ac and 8 of n a stream, 8 rates of 802.11a."""
    s = house(channel__on=True, time__lead_in="0 s", time__flows="1 s", time__warmup="0 s", time__tail="0 s")
    trace, steps = s.channel_trace(1), 501
    assert trace is not None
    modes = [24, 10, 16, 12, 24]  # of as many streams as the link has
    assert len(trace) == 32 + 2 * sum(8 + steps * 4 * (1 + n + 8) for n in modes)
    assert translate(s).case["channel"]["channel.on"] == "true"


def test_the_card_itself_has_the_ideal_rate_control():
    s = house(channel__on=True, ap__rate_control="ideal")
    case = translate(s).case
    assert "rc" not in case, "mac80211 has no part in it"
    assert (case["radio"]["fixed_mcs"], case["radio"]["fixed_mcs_up"]) == (-2, [9, 9, 7, 15, 4, 11])
    both = translate(s.set({"sta.rate_control": "ideal"})).case["radio"]
    assert both["fixed_mcs"] == -2
    assert "fixed_mcs_up" not in both
    with pytest.raises(wavetank.ScenarioError, match=r"channel\.on = true"):
        translate(house(ap__rate_control="ideal"))


def test_mt76_of_the_generation_before_leaves_rates_to_mac80211():
    s = house(ap__rate_control="minstrel_ht", sta__rate_control="minstrel_ht").set(
        {
            "wifi.standard": "ac",
            "stations.driver": "off",
            "stations.mcs": "9, 4",
            "stations.streams": "2, 1",
            "stations.width_mhz": "off",
        }
    )
    case = translate(s.set({"mt76.amsdu_msdus": 4, "mt76.tries": 20})).case
    assert (case["rc"], "fixed_mcs" in case["radio"]) == ("minstrel_ht,minstrel_ht", False)
    assert case["radio"]["streams"] == [2, 2, 1, 2]
    assert (case["radio"]["retries"][4], case["radio"]["amsdu_msdus"][4]) == (11, 1), (
        "three rates, four attempts of each"
    )
    with pytest.raises(UserError, match=r"mt76's cards of one kind"):
        translate(s.set({"sta.rate_control": "fixed"}))
    with pytest.raises(wavetank.ScenarioError, match="up to 80 MHz"):
        s.set({"wifi.width_mhz": 160}).check()
    with pytest.raises(UserError, match="older standard than the network"):
        translate(s.set({"stations.driver": "mt76, ath9k", "stations.mcs": "9, 15"}))
    with pytest.raises(
        UserError, match=r"stations\.width_mhz = 80, 20: .* its network's 80 MHz where rate control chooses"
    ):
        translate(s.set({"stations.width_mhz": "80, 20", "stations.mcs": "9, 4"}))


def test_a_driver_that_no_station_has_says_nothing():
    s = house(stations__driver="mt76*5", stations__mcs="9", stations__width_mhz="80").set({"sta.driver": "mt76"})
    assert translate(s.set({"ath10k.msdus": 64})).case["radio"]["mode"] == 4
    with pytest.raises(UserError, match=r"mt76\.ampdu_exponent = 5: cannot be had on linux"):
        translate(house(mt76__ampdu_exponent=5))


@pytest.mark.parametrize("seed", range(3))
def test_both_waters_accept_every_drawn_house(seed):
    seen: Counter[str] = Counter()
    for _, keys in linux_draw_house.scenarios(seed, 140):
        s = wavetank.Scenario.from_dict({"name": "drawn", "kernel": "6.12", **keys})
        linux.check(s, 1)
        v = linux.like_linux(s).check()
        seen.update(v["stations.driver"].split(", "))
        seen.update(f"{k}={v[k]}" for k in ("wifi.standard", "channel.on", "ap.rate_control"))
    wanted = [
        "ath9k",
        "ath9k_htc",
        "ath10k",
        "mt76",
        *(f"wifi.standard={of}" for of in ("n", "ac", "ax")),
        "channel.on=true",
    ]
    assert [
        x for x in [*wanted, *(f"ap.rate_control={name}" for name in ("minstrel_ht", "aasrc", "ideal"))] if not seen[x]
    ] == []
