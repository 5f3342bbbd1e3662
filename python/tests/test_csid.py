"""The CSI daemon's two ends as state machines with clocks of their own: whom they believe, what they survive."""

from __future__ import annotations

import random

import csi_logs as write
import esnr_by_scipy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank import csid
from wavetank.csid import access_point, wire
from wavetank.csid.client import MS

FUZZ = settings(max_examples=300, deadline=None, derandomize=True)
KEY, OTHER_KEY = b"k" * 32, b"o" * 32
STATION = bytes.fromhex("027774000001")
S = 1_000_000_000
LIMIT_S = 20  # of anything that waits for another process


def fb(at_ns: int, level: int = 2000) -> csid.Feedback:
    return csid.Feedback(at_ns, (level, level + 1, level + 2, level + 3), level + 500)


class Pair:
    """A client and an access point whose clocks differ by an hour, with a way of ``way_ns``."""

    def __init__(self, key: bytes = KEY, ap_key: bytes = KEY, way_ns: int = MS) -> None:
        self.key, self.ap_key, self.way = key, ap_key, way_ns
        self.now = 10 * S
        self.ahead = 3600 * S
        self.log: list[bytes] = []
        self.restart_client()
        self.restart_ap()

    def restart_client(self) -> None:
        self.client = csid.Client(self.key, STATION)

    def restart_ap(self) -> None:
        self.ap = csid.AccessPoint(self.ap_key)

    def carry(self, datagram: bytes | None, later: int = 0) -> None:
        if datagram is None:
            return
        self.log.append(datagram)
        answer = self.ap.got(self.now + self.ahead + self.way + later, datagram)
        if answer is not None:
            self.log.append(answer)
            self.client.got(self.now + 2 * self.way + later, answer)

    def hello(self) -> None:
        self.now += S
        self.carry(self.client.tick(self.now))
        self.again()

    def again(self) -> None:
        """Sends what was kept, as the daemon does whenever it is woken."""
        kept = self.client.again()
        if kept is not None:
            self.carry(self.client.feedback(self.now, kept))

    def send(self, age_ns: int = 0, later: int = 0, level: int = 2000) -> bytes | None:
        self.now += 5 * MS
        datagram = self.client.feedback(self.now, fb(self.now - age_ns, level))
        self.carry(datagram, later)
        return datagram

    def handed(self) -> list[access_point.Heard]:
        return self.ap.take(self.now + self.ahead + self.way)


def test_feedback_arrives_with_its_age():
    p = Pair()
    assert p.send() is None  # no session yet
    p.hello()
    p.send(age_ns=20 * MS)
    (heard,) = p.handed()
    assert (heard.station, heard.esnr, heard.snr) == (STATION, (2000, 2001, 2002, 2003), 2500)
    assert heard.age_us(p.now + p.ahead + p.way) == 20_000
    assert p.handed() == []


def test_a_way_that_took_longer_makes_it_older():
    p = Pair()
    p.hello()
    p.send()
    p.handed()
    p.send(age_ns=20 * MS, later=30 * MS)
    (heard,) = p.ap.take(p.now + p.ahead + p.way + 30 * MS)
    assert heard.age_us(p.now + p.ahead + p.way + 30 * MS) == 50_000


def test_old_feedback_is_not_handed_on():
    p = Pair()
    p.hello()
    p.send(age_ns=250 * MS)
    assert len(p.handed()) == 1
    p.send(age_ns=251 * MS)
    assert p.handed() == []
    p.send(age_ns=240 * MS)  # grows old before it is taken
    p.now += 20 * MS
    assert p.handed() == []
    assert p.ap.counts["old"] == 2


def test_the_newest_of_a_station_is_handed_once():
    p = Pair()
    p.hello()
    for level in (1000, 1100, 1200):
        p.send(level=level)
    (heard,) = p.handed()
    assert heard.esnr[0] == 1200


def test_reordered_and_repeated_datagrams_never_go_back():
    p = Pair()
    p.hello()
    sent = []
    for level in range(20):
        p.now += MS
        sent.append(p.client.feedback(p.now, fb(p.now, level)))
    random.Random(1).shuffle(sent)
    newest = -1
    for datagram in sent + sent:
        p.carry(datagram)
        for heard in p.handed():
            assert heard.esnr[0] > newest
            newest = heard.esnr[0]
    assert newest == 19
    assert p.ap.counts["heard"] + p.ap.counts["late"] == 40


def test_the_access_point_restarts():
    p = Pair()
    p.hello()
    p.send()
    assert len(p.handed()) == 1
    p.restart_ap()
    p.send()  # it says: hello again; not believed by the new one
    assert p.handed() == []
    assert p.client.counts["forgotten"] == 1
    p.hello()
    p.send()
    assert len(p.handed()) == 1


def test_the_client_restarts():
    p = Pair()
    p.hello()
    p.send()
    p.restart_client()
    p.hello()
    p.send(level=77)
    assert p.handed()[0].esnr[0] == 77
    assert (len(p.ap.sessions), p.ap.counts["sessions"]) == (1, 2)


@pytest.mark.parametrize("every_s", [1, 6, 10, 30, 59, 61, 90])
def test_who_reports_rarely_is_heard(every_s):
    """Longer than OPEN, by which a cookie has to be used, and than IDLE, after which a session is forgotten."""
    p = Pair()
    reports, handed = 8, 0
    for _ in range(reports):
        for tenth in range(every_s * 10):
            p.now += S // 10
            p.carry(p.client.tick(p.now))
            p.again()
            if tenth % 100 == 0:
                p.ap.forget(p.now + p.ahead)
        p.carry(p.client.feedback(p.now, fb(p.now - MS)))
        for _ in range(5):  # a STALE, a HELLO and the report again: within a quarter of a second
            p.now += 40 * MS
            p.carry(p.client.tick(p.now))
            p.again()
        heard = p.handed()
        handed += len(heard)
        assert all(h.age_us(p.now + p.ahead) <= 250_000 for h in heard)
    assert handed == reports
    assert p.client.counts["forgotten"] == (reports if every_s > 60 else int(every_s > 5))


def test_the_newest_is_kept_until_there_is_a_session():
    p = Pair()
    for level in (1, 2):
        p.send(level=level)
    p.now += MS
    p.carry(p.client.tick(p.now))
    p.again()
    assert [h.esnr[0] for h in p.handed()] == [2]
    p.again()
    assert p.handed() == []


def test_what_was_kept_is_as_old_as_it_is():
    p = Pair()
    p.send(level=1)
    p.hello()  # a second later
    assert (p.handed(), p.ap.counts["old"]) == ([], 1)


@pytest.mark.parametrize("restart", ["none", "client", "ap", "both", "forgotten"])
def test_nothing_recorded_is_believed_again(restart):
    p = Pair()
    p.hello()
    for _ in range(5):
        p.send(level=100)
    p.handed()
    recorded = list(p.log)
    if restart in ("client", "both"):
        p.restart_client()
    if restart in ("ap", "both"):
        p.restart_ap()
    if restart == "forgotten":
        p.now += 61 * S
        p.ap.forget(p.now + p.ahead)
        assert not p.ap.sessions
    if restart in ("client", "ap", "both"):
        p.now += MS
        for datagram in recorded:
            p.ap.got(p.now + p.ahead, datagram)
        p.hello()
        p.hello()
        p.send(level=500)
        if restart in ("ap", "both") and p.client.counts["forgotten"]:  # hello again
            p.hello()
            p.send(level=500)
        assert [h.esnr[0] for h in p.handed()] == [500]
    for _ in range(3):
        for datagram in recorded:
            p.ap.got(p.now + p.ahead, datagram)
    assert not p.ap.waiting


def test_recorded_answers_do_not_disturb_the_client():
    p = Pair()
    p.hello()
    p.send()
    p.restart_ap()
    p.send()
    p.hello()
    p.send()
    assert p.client.session is not None
    for datagram in p.log:  # among them the STALE of before, and every CHALLENGE
        p.client.got(p.now, datagram)
    assert p.client.session is not None
    assert p.client.counts["forgotten"] == 1
    assert p.send() is not None
    assert len(p.handed()) == 1


def test_another_key():
    p = Pair(ap_key=OTHER_KEY)
    p.hello()
    assert (p.client.session, p.ap.counts["wrong_key"]) == (None, 1)
    p.ap = csid.AccessPoint(KEY)
    p.hello()
    d = p.client.feedback(p.now, fb(p.now))
    assert d is not None
    p.ap.got(p.now + p.ahead, d[:60] + bytes([d[60] ^ 1]) + d[61:])
    assert (p.handed(), p.ap.counts["wrong_key"]) == ([], 1)


@given(datagrams=st.lists(st.binary(max_size=140), max_size=20), kind=st.integers(0, 5))
@FUZZ
def test_garbage_changes_nothing(datagrams, kind):
    p = Pair()
    p.hello()
    p.send()
    for d in datagrams:
        for sent in (d, wire.MAGIC + bytes([kind]) + d, (wire.MAGIC + bytes([kind]) + d).ljust(wire.LONGEST, b"x")):
            assert p.ap.got(p.now + p.ahead, sent) is None
            p.client.got(p.now, sent)
    assert (len(p.ap.sessions), len(p.handed())) == (1, 1)
    assert p.client.session is not None


@given(at=st.integers(0, 96), flip=st.integers(1, 255), which=st.integers(0, 2))
@FUZZ
def test_no_changed_bit_is_believed(at, flip, which):
    p = Pair()
    p.hello()
    p.send()
    p.handed()
    p.now += MS
    sound = (wire.hello(KEY, b"n" * 16, STATION), p.client.feedback(p.now, fb(p.now)), p.log[0])[which]
    assert sound is not None
    bad = bytearray(sound)
    bad[at % len(bad)] ^= flip
    assert p.ap.got(p.now + p.ahead, bytes(bad)) is None
    assert p.handed() == []
    assert p.ap.counts["wrong_key"] + p.ap.counts["garbage"] == 1


def test_a_flood_of_strangers_costs_little_and_starves_nobody():
    p = Pair()
    p.hello()
    garbage = wire.hello(OTHER_KEY, b"n" * 16, STATION)
    replay = wire.data(b"s" * 32, wire.Data(b"n" * 16, b"c" * 24, STATION, 1, 0, 0, (0, 0, 0, 0), 0))
    checked = 0
    for i in range(2000):  # a second of it, 100 datagrams each half millisecond
        now = p.now + p.ahead + i * S // 2000
        before = p.ap.counts["wrong_key"]
        for _ in range(50):
            p.ap.got(now, garbage)
            p.ap.got(now, replay)
        checked += p.ap.counts["wrong_key"] - before
    assert checked <= access_point.OTHER * 1.1 + 1
    assert p.ap.counts["flood"] == 200_000 - checked
    assert (len(p.ap.sessions), len(p.ap.waiting)) == (0, 0)
    p.now += S
    p.hello()
    p.send()
    for _ in range(1000):
        p.ap.got(p.now + p.ahead, garbage)
    p.send()
    assert len(p.handed()) == 1


def test_a_flood_with_the_key_is_bounded_too():
    ap = csid.AccessPoint(KEY)
    for i in range(3 * access_point.STATIONS):
        now = S + i * 2 * MS
        who, nonce = i.to_bytes(6, "big"), i.to_bytes(16, "big")
        answer = ap.got(now, wire.hello(KEY, nonce, who))
        assert answer is not None
        _, cookie = wire.read_challenge(answer)
        d = wire.Data(nonce, cookie, who, 1, now, 0, (1, 1, 1, 1), 1)
        ap.got(now, wire.data(wire.session_key(KEY, nonce, cookie), d))
    assert len(ap.sessions) == access_point.STATIONS
    assert len(ap.waiting) == access_point.STATIONS
    assert ap.counts["full"] > 0


def test_no_answer_is_longer_than_its_question():
    assert len(wire.hello(KEY, b"n" * 16, STATION)) >= len(wire.challenge(KEY, b"n" * 16, b"c" * 24))
    assert len(wire.stale(KEY, b"n" * 16)) <= wire.LONGEST


def test_the_client_asks_less_and_less_often():
    c = csid.Client(KEY, STATION)
    asked = [t for t in range(0, 10_000, 10) if c.tick(t * MS)]
    assert asked == [0, 100, 300, 700, 1500, 3100, 5100, 7100, 9100]


def test_least_forgets():
    least = access_point.Least()
    assert [least.put(0, 5), least.put(S, 3), least.put(2 * S, 9)] == [5, 3, 3]
    assert least.put(31 * S, 8) == 3
    assert least.put(61 * S, 9) == 8
    assert least.put(200 * S, 12) == 12


def test_the_meter_smooths_every_report_and_measures_the_newest():
    m = csid.Meter(1 / 8)
    values = write.random_csi(3, 1, 1, 114, 300)[0, 0]
    assert m.take() is None
    for i, snr in enumerate((20.0, 28.0, 21.0)):
        m.put(csid.Report(i, values * (i + 1), snr))
    f = m.take()
    assert f is not None
    assert (f.time_ns, f.snr) == (2, 2100)
    assert np.array(f.esnr) / 100 == pytest.approx(esnr_by_scipy.esnr_db(values, 21.0), abs=0.03)
    assert m.take() is None
