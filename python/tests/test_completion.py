"""What a shell is given at a TAB."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

#: Each line as bash hands it over, where "=" is a word (COMP_WORDBREAKS): the words, the last of them under the cursor.
LINES = {
    "a verb": ("re", ["reproduce"]),
    "an option": ("run --o", ["--out", "--on"]),
    "a scenario": ("run cotsq-ath9k-", ["cotsq-ath9k-htc"]),
    "an experiment": ("reproduce hard", ["hard-times"]),
    "a key": ("explain ap.qd", ["ap.qdisc"]),
    "a key to set": ("run x.toml --set tcp.tsq_m", ["tcp.tsq_ms="]),
    "its value": ("run x.toml --set tcp.tsq = co", ["cotsq"]),
    "its values": ("run x.toml --set tcp.tlp =", ["true", "false"]),
    "after another": ("run x.toml --set tcp.cc = bbr --set wifi.encryption = c", ["ccmp"]),
    "an option with its sign": ("compare x --set = tcp.cc = ill", ["illinois"]),
    "a column": ("compare x --against sta.driver = so", ["sora"]),
    "a list's next": ("sweep x.toml tcp.cc = cubic,ve", ["cubic,vegas", "cubic,veno"]),
    "two keys at once": ("sweep x.toml sta.qdisc+ap.qdisc = pfifo_", ["pfifo_fast"]),
    "a form": ("theory hard", ["hard-times"]),
    "nothing such": ("run x.toml --set tcp.cc = zz", []),
}
SCRIPT = """
eval "$(wavetank completion bash)"
compopt() { options+=" $2"; }
while read -r -a words; do
  COMP_WORDS=(wavetank "${words[@]}"); COMP_CWORD=${#words[@]}; COMPREPLY=(); options=
  _wavetank_completion wavetank
  echo "${COMPREPLY[*]}|$options"
done
"""


@pytest.mark.slow
def test_bash_completes():
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    told = "".join(f"{line}\n" for line, _ in LINES.values())
    done = subprocess.run(
        [bash, "--norc", "-c", SCRIPT],
        input=told, capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert not done.stderr
    answers = [line.partition("|") for line in done.stdout.splitlines()]
    assert {k: words.split() for k, (words, _, _) in zip(LINES, answers, strict=True)} == {
        k: expected for k, (_, expected) in LINES.items()
    }
    options = dict(zip(LINES, (o for _, _, o in answers), strict=True))
    assert "nospace" in options["a key to set"]  # the value follows at once
    assert "default" in options["a scenario"]  # files, too
    assert "nospace" not in options["its value"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_theirs(wavetank, shell):
    code, out, _ = wavetank("completion", shell)
    assert (code, f"_WAVETANK_COMPLETE={shell}_complete" in out) == (0, True)


def test_fish_completes():
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("fish is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = {"run x --set tcp.tsq_m": "tcp.tsq_ms=", "sweep x tcp.cc=cubic,ill": "tcp.cc=cubic,illinois"}
    asked = "; ".join(f"complete -C 'wavetank {line}'" for line in lines)
    done = subprocess.run(
        [fish, "-N", "-c", f"wavetank completion fish | source; {asked}"],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == list(lines.values())


def test_what_explains_comes_with_it():
    """zsh and fish show it beside the key."""
    from wavetank.cli import complete

    (item,) = complete.key(None, None, "tcp.tsq_ms")
    assert item.value == "tcp.tsq_ms"
    assert item.help
    assert not item.help.endswith(".")


ZSH = """
compdef() {}; compadd() { print -r -- "$@" "[$completions]" }; _describe() { print -r -- "$@" "[$completions_with_descriptions]" }
eval "$(wavetank completion zsh)"
for line in "$@"; do words=(${=line}); CURRENT=$#words; _wavetank_completion; done
"""


def test_zsh_puts_no_space_behind_a_key():
    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("zsh is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = ["wavetank run x --set tcp.tsq_m", "wavetank run x --set tcp.cc=ill"]
    done = subprocess.run(
        [zsh, "-f", "-c", ZSH, "zsh", *lines],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "PATH": path},
    )  # fmt: skip
    key, value = done.stdout.splitlines()
    assert "tcp.tsq_ms=" in key
    assert " -S  " in key
    assert "illinois" in value
    assert " -S " not in value
