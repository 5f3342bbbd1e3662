# SPDX-License-Identifier: GPL-2.0
"""The host's side of the second water: find or build what is needed, boot it once, read what it wrote.

Everything built lies in the cache (see kernel/build): the kernel, the guest binary, the modules and the library
that seeds randomness. Each is keyed by its sources, so calling this twice builds once.
"""

import contextlib
import ctypes
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from one_cpu import one_cpu, stay_on

HERE = pathlib.Path(__file__).resolve().parent


def _end_with(parent):
    """A request to end becomes an exception, so that the kernel is ended, too; the death of `parent` is such a request."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit(128 + signum))
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit("the caller is gone")


if os.environ.get("WAVETANK_PARENT"):
    _end_with(int(os.environ.pop("WAVETANK_PARENT")))


class Trouble(Exception):
    """Something to tell the user in one message, without a traceback."""


def cache_root():
    """The folder that holds everything built."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = pathlib.Path(base).resolve() / "wavetank" / "linux"
    # The guest covers these with file systems of its own and would not find its modules there.
    for covered in ("/tmp", "/run"):
        if root.is_relative_to(covered):
            raise Trouble(
                f"the cache {root} is below {covered}, where the guest cannot see it: set XDG_CACHE_HOME elsewhere"
            )
    return root


def made(folder):
    """The folder, made where it is missing. It lies in the cache."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Trouble(
            f"the cache {cache_root()} cannot be written ({e.strerror}): set XDG_CACHE_HOME to a folder that can"
        ) from None
    return folder


#: A program that must be there, and Debian's package that brings it.
PROGRAMS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "ld": "binutils",
    "ip": "iproute2",
    "tc": "iproute2",
    "iw": "iw",
    "hostapd": "hostapd",
    "cargo": "cargo",
}
SOURCE = "linux-source-6.12"
SOURCE_FILE = pathlib.Path("/usr/src") / f"{SOURCE}.tar.xz"


def source_at(given, named):
    """A kernel's source, a tarball or an unpacked tree, of the path that `named` gave; what is no such thing is told."""
    path = pathlib.Path(given).resolve()
    if not path.exists():
        raise Trouble(f"{named}={given}: there is no such tarball or folder, expected a kernel's source")
    if path.is_dir() and not (path / "Makefile").is_file():
        raise Trouble(f"{named}={given}: this folder has no Makefile, expected the top of a kernel's source")
    return path


def other_source():
    """The source of another kernel than the second water's, if one is asked for: a tarball or a tree."""
    given = os.environ.get("WAVETANK_KERNEL_SOURCE")
    return source_at(given, "WAVETANK_KERNEL_SOURCE") if given else None


def missing_packages():
    """Debian packages that this machine lacks, of all that building and running needs."""
    path = os.environ.get("PATH", "") + ":/sbin:/usr/sbin"
    lacks = {package for program, package in PROGRAMS.items() if not shutil.which(program, path=path)}
    if other_source() is None and not SOURCE_FILE.exists():
        lacks.add(SOURCE)
    if not pathlib.Path("/usr/include/stdio.h").exists():
        lacks.add("libc6-dev")
    return sorted(lacks)


def install(packages):
    """What to tell somebody who lacks them."""
    return "this machine lacks what the second water needs. Install it with\n    apt-get install " + " ".join(packages)


_may_build = True


@contextlib.contextmanager
def building(allowed):
    """Within it what is not there is built, or not (then Trouble is raised)."""
    global _may_build  # noqa: PLW0603 - a program's own mode
    before, _may_build = _may_build, allowed
    try:
        yield
    finally:
        _may_build = before


def debug():
    """Whether the kernel with KASAN, lockdep and kmemleak is asked for."""
    word = os.environ.get("WAVETANK_KERNEL", "")
    if word not in ("", "debug"):
        raise Trouble(f"WAVETANK_KERNEL={word}: expected debug (with KASAN, lockdep and kmemleak), or nothing")
    return word == "debug"


@functools.cache
def kernel(jobs=None):
    """The build directory; with WAVETANK_KERNEL=debug that of the kernel with KASAN, lockdep and kmemleak; with
    WAVETANK_KERNEL_SOURCE that of the kernel whose source this names."""
    extra = ["--debug"] if debug() else []
    extra += ["--source", other_source()] if other_source() else []
    extra += [] if _may_build else ["--print"]
    root = cache_root()
    if _may_build:  # it says so itself, but above what this program says
        made(root)
    cmd = [HERE / "kernel" / "build", "--jobs", str(jobs or os.cpu_count()), *extra]
    run = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=None if _may_build else subprocess.DEVNULL, text=True)
    if run.returncode:
        raise Trouble("there is no kernel to run (see above)")
    return pathlib.Path(run.stdout.strip().splitlines()[-1])


def release():
    """The kernel's release, as "6.12.117"."""
    return (kernel() / "include" / "config" / "kernel.release").read_text().strip().split("-")[0].rstrip("+")


def cannot(config):
    """Why the kernel that is run cannot carry out a wired case; empty if it can."""
    if config.get("pacing_shift", 10) != 10 and tuple(map(int, release().split(".")[:2])) < (4, 16):
        return f"Linux {release()} has no pacing_shift, which came with 4.16: TSQ's time is 1/1024 s for every socket"
    return ""


def address(symbol):
    """Where the kernel that is run has a variable of its own: User-Mode Linux lies where it was linked."""
    nm = subprocess.run(["nm", kernel() / "linux"], stdout=subprocess.PIPE, text=True, check=True)
    found = [line.split()[0] for line in nm.stdout.splitlines() if line.split()[-1] == symbol]
    if len(found) != 1:
        raise Trouble(f"the kernel has {len(found)} variables {symbol}, expected one")
    return int(found[0], 16)


def standard(radio):
    """What the guest has to know of the radio's standard: hostapd is told."""
    mhz = radio.get("fixed_mhz", 40)
    mhz = mhz[0] if isinstance(mhz, list) else mhz
    short = "[SHORT-GI-20][SHORT-GI-40]" if radio.get("fixed_sgi", True) else ""
    return {
        "ht": radio.get("ht", True),
        "vht": radio.get("vht", False),
        "he": radio.get("he", False),
        "mhz": mhz,
        "ht_capab": ("" if mhz == 20 else "[HT40+]") + short,
    }


def module_words(values):
    """A module's parameters as insmod takes them."""

    def word(v):
        return int(v) if isinstance(v, bool) else ",".join(map(str, v)) if isinstance(v, list) else v

    return " ".join(f"{k}={word(v)}" for k, v in values.items())


def _digest(paths, *more):
    h = hashlib.sha256()
    for path in sorted(paths):
        h.update(path.name.encode() + b"\0" + path.read_bytes())
    for text in more:
        h.update(str(text).encode())
    return h.hexdigest()[:16]


def _build(kind, key, work):
    """Runs work(directory) unless it has succeeded before; one caller at a time."""
    where = cache_root() / kind / key
    if (where / "done").exists():
        return where
    if not _may_build:
        raise Trouble(f"{kind} is not built")
    made(where)
    with open(where / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (where / "done").exists():
            work(where)
            (where / "done").touch()
    return where


def _command(cmd, **kw):
    run = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if run.returncode:
        raise Trouble(f"{' '.join(map(str, cmd))} failed:\n{run.stdout[-4000:]}")


def guest():
    """The static guest binary."""
    src = HERE / "guest"
    if not shutil.which("cargo"):
        raise Trouble("this machine lacks cargo: install Rust (Debian: apt-get install cargo)")
    csi = HERE.parent / "crates" / "csi"
    files = [*src.glob("src/*.rs"), src / "Cargo.toml", src / "Cargo.lock", src / ".cargo/config.toml"]
    files += [*csi.glob("src/*.rs"), csi / "Cargo.toml"]

    def work(where):
        # one for each work tree: cargo leaves the last one's binary where it is if it finds nothing to do
        target = cache_root() / f"guest-target-{hashlib.sha256(bytes(src)).hexdigest()[:8]}"
        _command(["cargo", "build", "--release", "--locked", "--target-dir", target], cwd=src)
        shutil.copy2(target / "x86_64-unknown-linux-gnu" / "release" / "wavetank-guest", where)

    return _build("guest", _digest(files), work) / "wavetank-guest"


def seed_library():
    """The library between User-Mode Linux and its host: seeds getrandom of everything in the guest, and fits FP registers."""
    src = [HERE / "guest" / "seed.c", HERE / "guest" / "xstate.c"]

    def work(where):
        _command(["gcc", "-O2", "-shared", "-fPIC", "-o", where / "seed.so", *src])

    return _build("seed", _digest(src), work) / "seed.so"


def _rust_sources(src):
    """What the Rust object of a module is made of; nothing where it has none."""
    top = src / "hack"
    if not top.is_dir():
        return []
    crates = [HERE.parent / "crates" / name for name in ("hack", "rohc")]
    files = [*top.glob("src/*.rs"), top / "Cargo.toml", top / "Cargo.lock", top / ".cargo/config.toml"]
    return [*files, *(f for c in crates for f in [*c.glob("src/*.rs"), c / "Cargo.toml"])]


def _rust_object(src, out):
    """The package in `src` as one object for Kbuild: of the archive that cargo makes the members that are its own."""
    if not shutil.which("cargo"):
        raise Trouble("this machine lacks cargo: install Rust (Debian: apt-get install cargo)")
    target = cache_root() / f"module-target-{hashlib.sha256(bytes(src)).hexdigest()[:8]}"
    profile = {
        k: v for k, v in os.environ.items() if not k.startswith("CARGO_PROFILE_")
    }  # one object of all, whatever the caller's
    _command(["cargo", "build", "--release", "--locked", "--target-dir", target], cwd=src, env=profile)
    archive = target / "x86_64-unknown-linux-gnu" / "release" / "libhack_core.a"
    members = subprocess.run(["ar", "t", archive], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory(dir=out.parent) as tmp:
        own = [m for m in members if m.startswith("hack_core")]
        _command(["ar", "x", archive, *own], cwd=tmp)
        _command(["ld", "-r", "--strip-debug", "-o", out, *own], cwd=tmp)


def module(folder, name=None):
    """Builds the out-of-tree module in `folder` (which holds a Kbuild file) against the cached kernel; of several, `name`."""
    src = HERE / folder
    name = name or (src.name if src.name.startswith("wavetank_") else f"wavetank_{src.name}")
    return _modules(folder) / f"{name}.ko"


def own_modules(lines):
    """Keys of a case that load modules of one's own before anything else: each line "FOLDER [PARAMETER=VALUE...]", or a list of
    these words, built here."""
    given = {}
    for i, line in enumerate(lines):
        folder, *words = line.split() if isinstance(line, str) else line
        given[f"module.{i}"] = " ".join([str(own_module(folder)), *words])
    return given


def own_module(folder):
    """Builds the ordinary out-of-tree module in `folder` for the kernel that is run, in the cache; gives the .ko's path."""
    src = pathlib.Path(folder).resolve()
    if not any((src / name).is_file() for name in ("Kbuild", "Makefile")):
        raise Trouble(f"{folder}: has no Kbuild or Makefile, which says what module it makes (obj-m := NAME.o)")
    files = sorted(_sources(src))
    build = kernel()
    h = hashlib.sha256(str(build).encode())
    for f in files:
        h.update(str(f.relative_to(src)).encode() + b"\0" + f.read_bytes() + b"\0")

    def work(where):
        for f in files:
            to = where / f.relative_to(src)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(f, to)
        cmd = ["make", "-C", build, "ARCH=um", f"M={where}", "modules"]
        run = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            said = run.stdout.replace(str(where), str(folder))
            raise Trouble(f"{folder}: does not build for Linux {release()}:\n{said[-8000:].strip()}")

    made = sorted(_build("modules", h.hexdigest()[:16], work).glob("*.ko"))
    if len(made) != 1:
        raise Trouble(f"{folder}: makes {len(made)} modules, expected one (obj-m := NAME.o)")
    return made[0]


#: What a build leaves beside a module's sources.
_BUILT = (".o", ".ko", ".mod", ".mod.c", ".cmd", ".symvers", ".order")


def _sources(folder):
    """The files of a module of one's own: all but hidden ones and what a build left."""
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name.endswith(_BUILT):
            continue
        if path.is_dir():
            yield from _sources(path)
        elif path.is_file():
            yield path


def _modules(folder):
    """Where the modules of a folder are, built."""
    build = kernel()
    src = HERE / folder
    files = [p for p in src.rglob("*") if p.is_file() and (p.suffix in (".c", ".h", ".py") or p.name == "Kbuild")]
    shared = sorted((HERE / "include").glob("*.h"))
    rust = _rust_sources(src)

    def work(where):
        for f, to in [(f, where / f.relative_to(src)) for f in files] + [
            (f, where / "include" / f.name) for f in shared
        ]:
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(f, to)
        if rust:
            _rust_object(src / "hack", where / "hack_core.o_shipped")
        _command(["make", "-C", build, "ARCH=um", f"M={where}", "modules"])

    return _build("modules", _digest([*files, *shared, *rust], build), work)


def boot(case, seed=1, timeout=600, memory=None, verbose=False, keep=(), said=None, progress=None, given=(), words=()):
    """Boots the kernel on `case` (a dict of scalars) and returns the guest's out.json as an object.

    `given` maps names of files that the guest finds beside its case to where they are; `keep` maps names of other files
    that the guest leaves to where they shall go; to the list `said` is added what the kernel printed; `progress` is
    called with every second of virtual time that the guest tells; `words` end the kernel's command line."""
    linux, init, preload = kernel() / "linux", guest(), seed_library()
    default = "2G" if debug() else "512M"
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()  # backs the guest's memory
    with tempfile.TemporaryDirectory(prefix="wavetank-") as tmp:
        lines = [f"{k} {str(v).lower() if isinstance(v, bool) else v}\n" for k, v in case.items() if v is not None]
        (pathlib.Path(tmp) / "case").write_text("".join(lines))
        # Linux stirs its command line into the random pool (drivers/char/random.c random_init_early), so it must
        # not name this run's directory: the kernel's own working directory stands for it.
        here = "/proc/self/cwd"
        (pathlib.Path(tmp) / "init").symlink_to(init)
        for name, where in dict(given).items():
            shutil.copyfile(where, pathlib.Path(tmp) / name)  # a link could point to what the guest covers
        cmd = [
            linux,
            f"mem={memory or default}",
            "root=/dev/root",
            "rootfstype=hostfs",
            "hostfs=/",
            "ro",
            f"init={here}/init",
            "time-travel=inf-cpu",
            "time-travel-start=1700000000",
            "con=null",
            "con0=fd:0,fd:1",
            "panic=-1",
            "umid=wavetank",
            f"uml_dir={here}/uml/",
            f"loglevel={7 if verbose else 5}",
            f"wt_dir={here}",
            *words,
        ]
        env = {**os.environ, "LD_PRELOAD": str(preload), "WAVETANK_SEED": str(seed), "TMPDIR": shm}
        with _watching(pathlib.Path(tmp) / "progress", progress):
            console, late = _run(cmd, env, tmp, timeout)
        if said is not None:
            said.append(console)
        if late == STILL:
            raise Trouble(
                f"virtual time stood still at {_reached(tmp)} s for {_still()} s of the CPU's: something goes on there that "
                "takes no time and does not end, as when a queue refuses TCP of its own host what it has taken off its "
                "hands before (netem.limit)"
            )
        if late:
            raise Trouble(f"the kernel did not finish in {timeout} s; it said:\n{_tail(console)}")
        if "panic_on_oom" in console:
            raise Trouble(
                f"the kernel ran out of its {memory or default} of memory: queues of the scenario grow without a bound"
            )
        if verbose:
            print(console, file=sys.stderr)
        for name, where in dict(keep).items():
            if (pathlib.Path(tmp) / name).exists():
                shutil.copyfile(pathlib.Path(tmp) / name, where)
        out = pathlib.Path(tmp) / "out.json"
        if not out.exists():
            told = console.partition("wavetank-guest: ")[2].partition("\nreboot: ")[0].strip()
            raise Trouble(told or f"the guest wrote no result; it said:\n{_tail(console)}")
        return json.loads(out.read_text())


@contextlib.contextmanager
def _watching(path, progress):
    """Calls progress(seconds) as the guest rewrites the file."""
    over = threading.Event()

    def watch():
        last = None
        while not over.wait(0.2):
            with contextlib.suppress(OSError, ValueError):
                if (now := int(path.read_text())) != last:
                    last = now
                    progress(now)

    thread = threading.Thread(target=watch, daemon=True)
    if progress:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if progress:
            thread.join()


def _same_addresses():
    """No address randomisation: User-Mode Linux sizes its memory by where its heap happens to lie
    (arch/um/kernel/um_arch.c, "to account for exec-shield gap"), and TCP's memory limits follow."""
    ctypes.CDLL(None).personality(0x0040000)  # ADDR_NO_RANDOMIZE


def _run(cmd, env, cwd, timeout):
    """What the kernel said, and whether it had to be ended. Its processes form one group of their own, on one CPU."""
    with one_cpu() as cpu:

        def before():
            _same_addresses()
            stay_on(cpu)

        child = subprocess.Popen(
            cmd,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
            text=True,
            start_new_session=True,
            preexec_fn=before,
        )
        return _said(child, timeout, cwd)


def _said(child, timeout, folder):
    """What it said, and why it was ended: "" (it ended by itself), LATE or STILL."""
    end, last, since = time.monotonic() + timeout, None, 0.0
    try:
        while True:
            left = end - time.monotonic()
            try:
                return child.communicate(timeout=max(0.0, min(left, LOOK)))[0], ""
            except subprocess.TimeoutExpired:
                reached, spent = _reached(folder), _spent(child.pid)
            if reached != last:
                last, since = reached, spent
            why = LATE if left <= 0 else STILL if reached is not None and spent - since > _still() else ""
            if why:
                os.killpg(child.pid, signal.SIGKILL)
                return child.communicate()[0], why
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise


#: Why a kernel was ended.
LATE, STILL = "late", "still"
#: Seconds after which it is looked at again.
LOOK = 5.0


def _still():
    """Seconds of CPU within which a second of virtual time must pass: a hundred times what the heaviest scenarios take."""
    return 1200 if debug() else 120


def _reached(folder):
    """The second of virtual time that the guest told last; None: it has told none."""
    try:
        return int((pathlib.Path(folder) / "progress").read_text())
    except (OSError, ValueError):
        return None


def _spent(pid):
    """CPU time of a process, seconds; 0 where it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _tail(said):
    return "\n".join((said or "").splitlines()[-40:])


def check_keys(given, known, where):
    """Unknown keys are refused, with the nearest known one."""
    import difflib

    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise Trouble(
                f"{where}: unknown key {key!r}"
                + (f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(sorted(known))}")
            )
