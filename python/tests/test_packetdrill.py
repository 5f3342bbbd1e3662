"""`wavetank packetdrill`: verdicts, what a failure tells, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wavetank import cli, packetdrill
from wavetank.errors import UserError

SCRIPTS = Path(__file__).parents[2] / "crates" / "packetdrill" / "scripts"
OPEN = """
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
"""


def _script(folder: Path, text: str) -> Path:
    path = folder / "a.pkt"
    path.write_text(OPEN + text, encoding="utf-8")
    return path


def test_the_scripts_hold() -> None:
    found = packetdrill.scripts([SCRIPTS])
    total = packetdrill.total([packetdrill.run(p) for p in found])
    assert total == {"pass": len(found), "fail": 0, "skip": 0, "statements_skipped": 0}
    assert len(found) >= 60


def test_a_failure_tells_line_expected_actual_and_trace(tmp_path: Path) -> None:
    path = _script(tmp_path, "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:2001(2000) ack 1\n")
    result = CliRunner().invoke(cli.cli, ["packetdrill", str(path)])
    assert result.exit_code == 1
    assert f"{path}:10: " in result.output
    assert "expected  > P. 1:2001(2000) ack 1" in result.output
    assert "1:1001(1000)" in result.output
    assert "0.100002 < . 1:1(0) ack 1 win 1000" in result.output
    assert "0 pass, 1 fail, 0 skip" in result.output


def test_what_is_not_supported_is_named_and_does_not_pass(tmp_path: Path) -> None:
    path = _script(tmp_path, "+0 < icmp unreachable [1:1(0)]\n+0 write(4, ..., 1000) = 1000\n")
    result = CliRunner().invoke(cli.cli, ["packetdrill", str(path), "--json"])
    assert result.exit_code == 0
    report = json.loads(result.output)
    assert report["total"] == {"pass": 0, "fail": 0, "skip": 1, "statements_skipped": 2}
    assert report["scripts"][0]["skipped"][0] == {"line": 9, "what": '"< icmp unreachable [1:1(0)]"'}


def test_bad_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a folder without scripts"):
        packetdrill.scripts([tmp_path])
    with pytest.raises(UserError, match=r"No such file.*expected a packetdrill script"):
        packetdrill.run(tmp_path / "none.pkt")
    (tmp_path / "binary.pkt").write_bytes(b"\x80\xff")
    with pytest.raises(UserError, match=r"is not UTF-8 text, expected a packetdrill script"):
        packetdrill.run(tmp_path / "binary.pkt")
    with pytest.raises(UserError, match=r"a\.pkt:9: expected a time"):
        packetdrill.run(_script(tmp_path, "write(4) = 0\n"))
    with pytest.raises(UserError, match=r'--kernel: "9\.9", expected one of .*6\.12'):
        packetdrill.run(_script(tmp_path, ""), kernel="9.9")


def test_a_slip_is_an_error_and_the_other_scripts_run(tmp_path: Path) -> None:
    slips = {
        "call": "+0 wirte(4, ..., 1000) = 1000\n",
        "packet": "+0 > P. 1:1001(1000) akc 1\n",
        "option": "+0 < S 0:0(0) win 9 <mss 1460,sackok>\n",
        "result": "+0 write(4, ..., 1000)\n",
        "constant": "+0 setsockopt(4, SOL_TCP, TCP_NODELYA, [1], 4) = 0\n",
    }
    for name, text in slips.items():
        (tmp_path / f"{name}.pkt").write_text(OPEN + text, encoding="utf-8")
    (tmp_path / "right.pkt").write_text(OPEN + "+0 close(4) = 0\n+0 > F. 1:1(0) ack 1\n", encoding="utf-8")
    (tmp_path / "beyond.pkt").write_text(OPEN + "+0 > udp (8)\n", encoding="utf-8")
    result = CliRunner().invoke(cli.cli, ["packetdrill", str(tmp_path)])
    assert result.exit_code == 2
    assert "1 pass, 0 fail, 1 skip, 5 cannot be read" in result.output
    for name, said in (
        ("call", 'unknown call "wirte", expected one of socket, bind'),
        ("packet", "expected ack NUMBER, win NUMBER or <TCP options>"),
        ("option", 'in place of "sackok"'),
        ("result", "expected what the call returns"),
        ("constant", 'unknown constant "TCP_NODELYA", expected one of packetdrill\'s; did you mean "TCP_NODELAY"?'),
    ):
        assert f"error: {tmp_path / name}.pkt:9: " in result.output and said in result.output
    result = CliRunner().invoke(cli.cli, ["packetdrill", str(tmp_path), "--json"], catch_exceptions=False)
    document = json.loads(result.stdout)
    assert (len(document["scripts"]), len(document["errors"])) == (2, 5)


def test_a_kernel_that_there_is_not_is_no_scripts_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r'^--kernel: "9\.9", expected one of'):
        packetdrill.run_all([_script(tmp_path, "")], kernel="9.9")
