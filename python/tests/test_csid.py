"""The CSI daemon: whom it believes, what it survives. State machines with clocks of their own; then both daemons on loopback."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import csi_logs as write
import esnr_by_scipy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank import UserError, csi, csid
from wavetank.csid import access_point, genl, loop, measure, station, wire
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


# --- netlink's messages ------------------------------------------------------------------------------------------


def report_attributes(**changed: object) -> list[tuple[int, bytes]]:
    values = np.arange(4 * 56, dtype=np.int16).reshape(1, 2, 56, 2)[:, :1]
    a = {
        "phy": (genl.PHY, b"phy1\0"), "ta": (genl.TA, b"\2\0\0\0\0\1"), "ra": (genl.RA, STATION),
        "time": (genl.TIME, struct.pack("=Q", 5 * S)), "count": (genl.COUNT, struct.pack("=I", 9)),
        "width": (genl.WIDTH, struct.pack("=H", 20)), "n_tx": (genl.N_TX, b"\1"), "n_rx": (genl.N_RX, b"\1"),
        "n_sc": (genl.N_SC, struct.pack("=H", 56)), "bits": (genl.BITS, b"\x0a"),
        "ctrl": (genl.SNR_CTRL, struct.pack("=h", 2050)), "ext": (genl.SNR_EXT, struct.pack("=h", -150)),
        "csi": (genl.CSI, values.tobytes()), "mcs": (genl.MCS, b"\7"),
    }  # fmt: skip
    return [
        (kind, changed.get(name, value)) for name, (kind, value) in a.items() if changed.get(name, value) is not None
    ]


def event(attributes: list[tuple[int, bytes]]) -> bytes:
    return genl.message(33, genl.REPORT, 0, b"".join(genl.attribute(k, v) for k, v in attributes), 0)


def parsed(data: bytes) -> genl.Heard:
    ((kind, _, payload),) = genl.messages(data)
    command, a = genl.body_of(payload)
    assert (kind, command) == (33, genl.REPORT)
    return genl.report(a)


def test_a_report_is_read():
    heard = parsed(event(report_attributes()))
    assert (heard.phy, heard.ra, heard.count, heard.time_ns) == ("phy1", STATION, 9, 5 * S)
    f = heard.frame
    assert (f.snr_db, f.width_mhz, f.mcs, f.source) == ((20.5, -1.5), 20, 7, "02:00:00:00:00:01")
    assert np.array_equal(f.csi[0, 0], np.arange(0, 112, 2) + 1j * np.arange(1, 112, 2))
    r = measure.report_of(f, csi.Ask(), heard.time_ns)
    assert r is not None
    assert r.snr_db == pytest.approx(10 * np.log10((10**2.05 + 10**-0.15) / 2))
    assert parsed(event(report_attributes(ext=None, mcs=None, phy=None))).frame.snr_db == (20.5,)


@pytest.mark.parametrize(
    "lie",
    [
        {"csi": b"\0" * 220}, {"csi": b""}, {"n_sc": b"\0\0"}, {"n_tx": b"\0"}, {"n_rx": b"\5"}, {"time": b"\0" * 4}, {"ra": b"\0" * 5},
        {"ctrl": None}, {"width": struct.pack("=H", 30)}, {"bits": b"\1"}, {"n_sc": struct.pack("=H", 600), "csi": b"\0" * 2400},
    ],
)  # fmt: skip
def test_a_report_that_lies_is_refused(lie):
    with pytest.raises(genl.Malformed):
        parsed(event(report_attributes(**lie)))


@given(at=st.integers(0, 500), value=st.binary(min_size=1, max_size=4), cut=st.integers(0, 500))
@FUZZ
def test_damaged_messages_do_no_harm(at, value, cut):
    data = bytearray(event(report_attributes()))
    data[at % len(data) : at % len(data) + len(value)] = value
    with contextlib.suppress(genl.Malformed):
        for _, _, payload in genl.messages(bytes(data[: len(data) - cut % len(data)])):
            _, a = genl.body_of(payload)
            genl.report(a)


def test_what_is_handed_to_the_module():
    a = genl.attributes(genl.esnr_body(STATION, (100, -200, 300, 32767), 2500, 1234))
    assert a[1] == STATION
    assert struct.unpack("=4h", a[2]) == (100, -200, 300, 32767)
    assert (struct.unpack("=h", a[3]), struct.unpack("=I", a[4])) == ((2500,), (1234,))


def netlink_works() -> bool:
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, genl.GENERIC).close()
    except OSError:
        return False
    return True


needs_netlink = pytest.mark.skipif(not netlink_works(), reason="no generic netlink here")


@needs_netlink
def test_families_are_found_at_the_real_controller():
    family = genl.Family("nlctrl", "notify")
    family.found("")
    assert (family.id, family.joined) == (genl.CONTROL, genl.NOTIFY)
    # a module that goes and comes back with another number is followed
    body = genl.attribute(genl.FAMILY_NAME, b"nlctrl\0")
    list(family._sort(genl.message(genl.CONTROL, genl.DELFAMILY, 0, body)))
    assert (family.id, family.request(1, b"")) == (None, False)
    list(
        family._sort(
            genl.message(genl.CONTROL, genl.NEWFAMILY, 0, body + genl.attribute(genl.FAMILY_ID, struct.pack("=H", 77)))
        )
    )
    assert family.id == 77
    family.close()
    with pytest.raises(UserError, match="nobody has the family wavetank_none: load it"):
        genl.Family("wavetank_none").found("load it")


@needs_netlink
def test_what_the_kernel_refuses_is_counted():
    family = genl.Family("nlctrl")
    family.found("")
    assert family.request(200, b"")  # no such command
    until = time.monotonic() + LIMIT_S
    while not family.counts and time.monotonic() < until:
        list(family.read(16))
    assert family.counts == {f"refused: {os.strerror(errno.EOPNOTSUPP)}": 1}
    family.close()


# --- both daemons, on loopback -----------------------------------------------------------------------------------


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    csid.new_key(path)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Ten seconds of the Atheros tool's, a record every 2 ms."""
    path = tmp_path / "log.dat"
    path.write_bytes(
        b"".join(write.atheros(write.random_csi(i % 7, 1, 1, 56, 400), stamp=2000 * i, rssi=25) for i in range(5000))
    )
    return path


class Daemon:
    """A daemon as a process; whatever happens, it is gone at the end."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wavetank", "csid", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.out = self.process.stdout
        os.set_blocking(self.out.fileno(), False)
        self.seen = b""

    def lines(self) -> list[dict]:
        with contextlib.suppress(BlockingIOError):
            while more := self.out.read(1 << 16):
                self.seen += more
        return [json.loads(x) for x in self.seen.splitlines() if x.endswith(b"}")]

    def until(self, true) -> list[dict]:
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            got = self.lines()
            if true(got):
                return got
            time.sleep(0.02)
        raise AssertionError(f"not within {LIMIT_S} s; last: {self.lines()[-2:]}")

    def end(self, how: int = signal.SIGTERM) -> dict:
        """Ends it; its last status."""
        self.process.send_signal(how)
        assert self.process.wait(LIMIT_S) == 0, self.process.stderr.read()
        os.set_blocking(self.out.fileno(), True)
        self.seen += self.out.read()
        return self.lines()[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture
def daemon():
    with contextlib.ExitStack() as stack:

        def start(*arguments: object) -> Daemon:
            d = Daemon(*arguments)
            stack.callback(d.kill)
            return d

        yield start


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ap_at(port: int, key: Path) -> list[object]:
    return ["ap", "--listen", f"127.0.0.1:{port}", "--key", key, "--to", "lines", "--json"]


def client_to(port: int, key: Path, log: Path, *more: object) -> list[object]:
    at = f"127.0.0.1:{port}"
    return ["client", "--ap", at, "--key", key, "--station", "02:77:74:00:00:01", "--log", log, "--json", *more]


def feedback(lines: list[dict]) -> list[dict]:
    return [x for x in lines if "esnr_db" in x]


def counted(lines: list[dict], what: str) -> int:
    statuses = [x for x in lines if "counts" in x]
    return statuses[-1]["counts"].get(what, 0) if statuses else 0


def test_log_to_access_point_through_restarts_garbage_and_flood(daemon, key, log):
    port = free_port()
    client = daemon(*client_to(port, key, log))
    ap = daemon(*ap_at(port, key))
    (first, *_) = feedback(ap.until(lambda got: len(feedback(got)) > 20))
    assert first["station"] == "02:77:74:00:00:01"
    assert 0 <= first["age_us"] < 250_000
    # what it says is what the log has: any of its seven matrices, at 25 dB
    known = [esnr_by_scipy.esnr_db(write.random_csi(i, 1, 1, 56, 400)[0, 0], 25.0) for i in range(7)]
    for x in feedback(ap.lines()):
        assert min(np.abs(np.array(x["esnr_db"]) - k).max() for k in known) < 0.05

    # garbage, and a flood of it
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        noise = random.Random(2)
        for _ in range(20_000):
            s.sendto(
                wire.hello(OTHER_KEY, noise.randbytes(16), STATION) if noise.random() < 0.5 else noise.randbytes(97),
                ("127.0.0.1", port),
            )
    count = len(feedback(ap.lines()))
    ap.until(lambda got: len(feedback(got)) > count + 20)

    # the access point is killed and comes back
    ap.kill()
    ap = daemon(*ap_at(port, key))
    ap.until(lambda got: len(feedback(got)) > 20)

    # the client goes and comes back
    last = client.end()
    assert last["session"] is True
    assert last["counts"]["sessions"] == 2
    client = daemon(*client_to(port, key, log))
    count = len(feedback(ap.lines()))
    ap.until(lambda got: len(feedback(got)) > count + 20)
    client.end(signal.SIGINT)
    status = ap.end(signal.SIGINT)
    assert (status["role"], status["stations"], status["counts"]["sessions"]) == ("ap", 1, 2)


def test_the_wrong_key_is_told_by_the_count(daemon, key, log, tmp_path):
    csid.new_key(tmp_path / "other")
    port = free_port()
    ap = daemon(*ap_at(port, key), "--status", 0.1)
    client = daemon(*client_to(port, tmp_path / "other", log))
    ap.until(lambda got: counted(got, "wrong_key") >= 1)
    assert feedback(ap.lines()) == []
    assert client.end()["session"] is False


def test_an_old_log_is_not_handed_on(daemon, key, log):
    """Feedback that is older than --max-age by the client's own word: the client runs with a clock that is behind."""
    port = free_port()
    ap = daemon(*ap_at(port, key), "--status", 0.1)
    c = csid.Client(csid.read_key(key), STATION)
    with loop.udp(f"127.0.0.1:{port}", "", False) as s:
        end = time.monotonic() + LIMIT_S
        while c.session is None and time.monotonic() < end:
            now = time.monotonic_ns()
            with contextlib.suppress(OSError):
                if (d := c.tick(now)) is not None:
                    s.send(d)
                c.got(now, s.recv(200))
            time.sleep(0.01)
        for age in (0, 300 * MS, 10 * MS):
            now = time.monotonic_ns()
            s.send(c.feedback(now, fb(now - age)) or b"")
            time.sleep(0.02)
    ap.until(lambda got: counted(got, "heard") == 2)
    status = ap.end()
    assert (status["counts"]["old"], status["counts"]["heard"]) == (1, 2)


def test_a_log_ends_and_so_does_the_client(daemon, key, tmp_path):
    path = tmp_path / "short.dat"
    path.write_bytes(b"".join(write.atheros(write.random_csi(1, 1, 1, 56, 400), stamp=1000 * i) for i in range(50)))
    client = daemon(*client_to(free_port(), key, path))  # nobody listens there
    assert client.process.wait(LIMIT_S) == 0
    os.set_blocking(client.out.fileno(), True)
    (status,) = client.lines()
    assert (status["reports"], status["session"]) == ({"reports": 50}, False)


def test_replay_keeps_the_logs_pace():
    frames = [csi.Frame(0, t, np.ones((1, 1, 2)), np.array([-1, 1]), 20) for t in (100.0, 100.5, 90.0, 90.25)]
    r = station.Replay(iter(frames), 2.0, 1000)
    due = [at for at, _ in r.due(10 * S, 10)]
    assert due == [1000, 1000 + S // 4, 1000 + S // 4, 1000 + S // 4 + S // 8]
    assert r.ended


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ap", "--key", "none"], "cannot be read (No such file or directory); `wavetank csid key none` makes a key"),
        (["ap", "--key", "open"], "others than its owner can read it (644), expected 600"),
        (["ap", "--key", "short"], "is no key, expected 64 hexadecimal digits"),
        (["ap", "--key", "key", "--listen", "127.0.0.1:99999", "--to", "lines"], "expected HOST or HOST:PORT"),
        (["ap", "--key", "key", "--listen", "192.0.2.1:5", "--to", "lines"], "Cannot assign requested address"),
        (
            ["client", "--key", "key", "--ap", "127.0.0.1", "--station", "02:77:74:00:00", "--log", "x"],
            "expected an address such as",
        ),
        (
            ["client", "--key", "key", "--ap", "127.0.0.1", "--station", "02:77:74:00:00:01", "--log", "x"],
            "No such file",
        ),
        (["key", "key"], "is there already; a key is not written over"),
    ],
)
def test_bad_arguments(tmp_path, monkeypatch, capsys, arguments, text):
    from wavetank import cli

    monkeypatch.chdir(tmp_path)
    csid.new_key(Path("key"))
    assert Path("key").stat().st_mode & 0o777 == 0o600
    for name, content in (("open", "0" * 64), ("short", "00ff")):
        Path(name).write_text(content)
        Path(name).chmod(0o644 if name == "open" else 0o600)
    with pytest.raises(SystemExit) as e:
        cli.main(["csid", *arguments])
    assert e.value.code == 2
    assert text in capsys.readouterr().err


@needs_netlink
def test_without_the_kernels_half(tmp_path, monkeypatch, capsys):
    from wavetank import cli

    monkeypatch.chdir(tmp_path)
    csid.new_key(Path("key"))
    for arguments, text in (
        (["ap", "--key", "key", "--listen", "127.0.0.1:0"], "nobody has the family wavetank_aarc"),
        (
            ["client", "--key", "key", "--ap", "127.0.0.1", "--station", "02:77:74:00:00:01"],
            "nobody has the family wavetank_csi",
        ),
    ):
        with pytest.raises(SystemExit) as e:
            cli.main(["csid", *arguments])
        assert e.value.code == 2
        assert text in capsys.readouterr().err


def test_addresses():
    assert loop.address("ap", "") == ("ap", 5510)
    assert loop.address("10.0.0.1:7", "") == ("10.0.0.1", 7)
    assert loop.address("[fe80::1]:7", "") == ("fe80::1", 7)
    assert loop.address("[::1]", "") == ("::1", 5510)
    assert loop.address("fe80::1", "") == ("fe80::1", 5510)
    with pytest.raises(UserError):
        loop.address("a:b", "")
