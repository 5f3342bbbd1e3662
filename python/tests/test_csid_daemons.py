"""Both CSI daemons as processes on loopback: restarts, garbage, floods, keys, signals, bad input."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import time
from pathlib import Path

import csi_logs as write
import esnr_by_scipy
import numpy as np
import pytest
from csid_daemons import LIMIT_S, Daemon, ap_at, client_to, counted, feedback, free_port, needs_netlink

from wavetank import UserError, csi, csid
from wavetank.csid import loop, station, wire
from wavetank.csid.client import MS

STATION = bytes.fromhex("027774000001")
OTHER_KEY = b"o" * 32
S = 1_000_000_000


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    csid.new_key(path)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Half a minute of the Atheros tool's, a record every 6 ms: longer than what a busy machine takes over it."""
    path = tmp_path / "log.dat"
    path.write_bytes(
        b"".join(write.atheros(write.random_csi(i % 7, 1, 1, 56, 400), stamp=6000 * i, rssi=25) for i in range(5000))
    )
    return path


@pytest.fixture
def daemon():
    with contextlib.ExitStack() as stack:

        def start(*arguments: object) -> Daemon:
            d = Daemon(*arguments)
            stack.callback(d.kill)
            return d

        yield start


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_wrong_key_is_told_by_the_count(daemon, key, log, tmp_path):
    csid.new_key(tmp_path / "other")
    port = free_port()
    ap = daemon(*ap_at(port, key), "--status", 0.1)
    client = daemon(*client_to(port, tmp_path / "other", log))
    ap.until(lambda got: counted(got, "wrong_key") >= 1)
    assert feedback(ap.lines()) == []
    assert client.end()["session"] is False


@pytest.mark.slow
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
            s.send(c.feedback(now, csid.Feedback(now - age, (1, 2, 3, 4), 5)) or b"")
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


def test_a_clock_that_jumps_is_told_and_not_waited_for():
    times = (0.0, 3600.0, 2**64 / 1e6, 5e-6, 0.5)
    frames = [csi.Frame(i, t, np.ones((1, 1, 2)), np.array([-1, 1]), 20) for i, t in enumerate(times)]
    told = []
    r = station.Replay(iter(frames), 3600.0, 1000, lambda by, frame: told.append((round(by), frame.offset)))
    due = [at - 1000 for at, _ in r.due(10 * S, 10)]
    assert due == [0, S, S, S, S + round(0.499995 / 3600 * S)]
    assert told == [(round(2**64 / 1e6) - 3600, 2)]


@pytest.mark.slow
def test_a_log_whose_clock_jumps_is_played_to_its_end(daemon, key, tmp_path):
    path = tmp_path / "jumps.dat"
    one = write.random_csi(1, 1, 1, 56, 400)
    stamps = (0, 2**64 - 1, 5, 3_000_000_000_000, 3_000_000_000_001)
    path.write_bytes(b"".join(write.atheros(one, stamp=t, rssi=25) for t in stamps))
    client = daemon(*client_to(free_port(), key, path))
    assert client.process.wait(LIMIT_S) == 0
    os.set_blocking(client.out.fileno(), True)
    assert client.lines()[-1]["reports"] == {"reports": 5, "clock jumps": 2}
    note = client.process.stderr.read().decode()
    assert f"note: {path}: at byte 187: the clock goes on by 18446744073710 s, which is a jump" in note


def test_nobody_waits_longer_than_the_system_can():
    """A step that wants to be called in a year."""
    lo, calls = loop.Loop(), []

    def step() -> int:
        calls.append(1)
        if len(calls) == 2:
            lo.stop()
        return loop.clock_ns() + 365 * 86_400 * S

    a, b = socket.socketpair()
    with a, b:
        lo.reads(a, lambda: a.recv(1))
        b.send(b"x")
        lo.run(step, lambda: None, None)
    assert len(calls) == 2


@pytest.mark.slow
def test_a_log_without_anything_of_use_is_an_error(daemon, key, tmp_path):
    path = tmp_path / "log.dat"
    path.write_bytes(write.atheros(write.random_csi(1, 1, 1, 56, 400), rssi=128) * 3)
    client = daemon(*client_to(free_port(), key, path))
    assert client.process.wait(LIMIT_S) == 2
    error = client.process.stderr.read().decode()
    assert f"error: {path}: none of its 3 channel states can be used" in error
    assert daemon(*client_to(free_port(), key, path, "--snr", 20)).process.wait(LIMIT_S) == 0
    asked = ("--snr", 20, "--carriers", "60:70")
    assert daemon(*client_to(free_port(), key, path, *asked)).process.wait(LIMIT_S) == 2


def test_sub_carriers_are_chosen():
    values = np.where(np.arange(56) < 28, 1, 100) * np.ones((1, 1, 56), complex)
    f = csi.Frame(0, 0.0, values, csi.frame.used(20), 20, (30.0,))
    low = csid.measure.report_of(f, csi.Ask(carriers=(-28, -1)), 0)
    assert low is not None
    assert (len(low.csi), abs(low.csi).max(), low.snr_db) == (28, 1, 30.0)
    assert csid.measure.report_of(f, csi.Ask(carriers=(29, 40)), 0) is None


def test_the_clock_goes_on_while_the_machine_sleeps():
    assert abs(time.clock_gettime_ns(time.CLOCK_BOOTTIME) - loop.clock_ns()) < S
    assert abs(station.ahead_ns() - (time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns())) < S // 100


def test_a_small_buffer_is_told():
    said = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        loop.Say(said.append, note=said.append).buffer(s)
    assert said == ["the socket's buffer has 16 KiB for 1024: start it as root, or raise net.core.rmem_max"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ap", "--key", "none"], "cannot be read (No such file or directory); `wavetank csid key none` makes a key"),
        (
            ["ap", "--key", "folder"],
            "is a folder, expected the file of a key; `wavetank csid key folder/csid.key` makes one",
        ),
        (["key", "folder"], "is a folder, expected the name of a file for the key, such as folder/csid.key"),
        (["ap", "--key", "open"], "others than its owner can read it (644), expected 600"),
        (["ap", "--key", "short"], "is no key, expected 64 hexadecimal digits"),
        (
            ["ap", "--key", "key", "--listen", "127.0.0.1:99999", "--to", "lines"],
            "HOST:PORT, with a port of 65535 at most",
        ),
        (["ap", "--key", "key", "--listen", "192.0.2.1:5", "--to", "lines"], "Cannot assign requested address"),
        (
            ["client", "--key", "key", "--ap", "127.0.0.1", "--station", "02:77:74:00:00", "--log", "x"],
            "expected an address such as",
        ),
        (
            ["client", "--key", "key", "--ap", "127.0.0.1", "--station", "02:77:74:00:00:01", "--log", "x"],
            "No such file",
        ),
        *(
            (
                ["client", "--key", "key", "--ap", "127.0.0.1", "--station", address, "--log", "x"],
                f'"{address}" is no station\'s address',
            )
            for address in ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "00:00:00:00:00:00")
        ),
        (
            ["client", "--key", "key", "--ap", "x", "--station", "02:77:74:00:00:01", "--carriers", "1"],
            "two sub-carriers",
        ),
        *(
            (
                ["client", "--key", "key", "--ap", "x", "--station", "02:77:74:00:00:01", option, "nan"],
                "nan is not in the range",
            )
            for option in ("--speed", "--snr", "--noise", "--weight", "--rate", "--status")
        ),
        *((["ap", "--key", "key", option, "NaN"], "NaN is not in the range") for option in ("--max-age", "--status")),
        (["key", "key"], "is there already; a key is not written over"),
    ],
)
def test_bad_arguments(tmp_path, monkeypatch, capsys, arguments, text):
    from wavetank import cli

    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
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


@needs_netlink
@pytest.mark.slow
def test_waiting_for_the_kernels_half_and_a_status_when_asked(daemon, key):
    port = free_port()
    ap = daemon("ap", "--listen", f"127.0.0.1:{port}", "--key", key, "--json", "--wait")
    client = daemon(
        "client", "--ap", f"127.0.0.1:{port}", "--key", key, "--station", "02:77:74:00:00:01", "--json", "--wait"
    )
    for d, role in ((ap, "ap"), (client, "client")):
        assert d.seen == b""
        end = time.monotonic() + LIMIT_S
        while not d.lines() and time.monotonic() < end:  # it may not listen to signals yet
            caught = int(Path(f"/proc/{d.process.pid}/status").read_text().partition("SigCgt:")[2].split()[0], 16)
            if caught >> (signal.SIGUSR1 - 1) & 1:
                d.process.send_signal(signal.SIGUSR1)
            time.sleep(0.1)
        assert d.lines()[0]["role"] == role
    client.until(lambda got: got)
    assert client.end()["reports"] == {}
    assert ap.end()["sink"] == {}


def test_addresses():
    assert loop.address("ap", "") == ("ap", 5510)
    assert loop.address("10.0.0.1:7", "") == ("10.0.0.1", 7)
    assert loop.address("[fe80::1]:7", "") == ("fe80::1", 7)
    assert loop.address("[::1]", "") == ("::1", 5510)
    assert loop.address("fe80::1", "") == ("fe80::1", 5510)
    with pytest.raises(UserError):
        loop.address("a:b", "")
