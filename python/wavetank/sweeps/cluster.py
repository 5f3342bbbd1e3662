"""A sweep's runs on a Dask cluster: the same runs, carried out elsewhere, their results kept here as local ones are.

Every worker must have this machine's core, for results of another are not taken for this one's: that is asked before anything is
sent, and by each run again, since workers come and go.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .. import __version__, workers
from ..errors import UserError
from ..lab import runner
from ..lab.records import RECORD
from ..lab.runner import Answer, Run

if TYPE_CHECKING:
    from distributed import Client

#: Seconds to wait for a scheduler, and for its first worker.
PATIENCE = 15.0
LOCAL = "local"


def identity() -> dict[str, str]:
    """What a worker must have in common with who asks it: the compiled core, and what a record holds."""
    return {"core": runner.core_digest(), "records": str(RECORD), "wavetank": __version__}


def _decides(found: Mapping[str, str]) -> tuple[str, str]:
    return found["core"], found["records"]


def refuse_another(ours: Mapping[str, str], theirs: Mapping[str, Mapping[str, str]]) -> None:
    """Raises UserError if a worker (by address) has another core, with both digests."""
    wrong = {w: t for w, t in theirs.items() if _decides(t) != _decides(ours)}
    for worker, t in wrong.items():
        raise UserError(
            f"--cluster: {len(wrong)} of {len(theirs)} workers have another core than this machine: {worker} has {_show(t)}, "
            f"here it is {_show(ours)}; expected the same build of wavetank everywhere (the same wheel)"
        )


def _show(found: Mapping[str, str]) -> str:
    return f"{found['core']} (wavetank {found['wavetank']}, records {found['records']})"


def work(run: Run, expected: Mapping[str, str]) -> Answer:
    """Carries a run out on a worker."""
    refuse_another(expected, {"this worker": identity()})
    return runner.answer(run)


def check(address: str) -> None:
    """Whether it can be asked for at all. Raises UserError for what is no address, and without dask.distributed."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        fine = address == LOCAL or bool(parts.hostname and parts.port)
    except ValueError:
        fine = False
    if not fine:
        raise UserError(f'--cluster: "{address}", expected a scheduler\'s address such as tcp://host:8786, or local')
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UserError("--cluster needs dask.distributed, expected: pip install 'wavetank[cluster]'") from None


@contextmanager
def spread(address: str, jobs: int) -> Iterator[runner.Elsewhere]:
    """Carries runs out on the cluster at that address; "local": as many processes as jobs, on this machine.

    Raises UserError where there is no dask.distributed, no scheduler, no worker, or another core.
    """
    check(address)
    import distributed

    with _connected(distributed, address, jobs) as client:
        _wait(client, address)
        refuse_another(identity(), _identities(client))
        yield lambda runs: _carry_out(distributed, client, runs)


@contextmanager
def _connected(distributed: Any, address: str, jobs: int) -> Iterator[Client]:
    with ExitStack() as stack:
        # what is wrong is told in a sentence
        stack.enter_context(distributed.utils.silence_logging_cmgr(logging.CRITICAL))
        where = stack.enter_context(_own(distributed, jobs)) if address == LOCAL else address
        try:
            client = distributed.Client(where, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as e:
            why = str(e).splitlines()[0] if str(e) else type(e).__name__
            raise UserError(
                f"--cluster: {address}: no Dask scheduler answers ({why}), expected an address such as tcp://host:8786, or local"
            ) from None
        yield stack.enter_context(client)


def _own(distributed: Any, jobs: int) -> AbstractContextManager[Any]:
    """A cluster on this machine, on loopback."""
    options = {"n_workers": jobs, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with workers.apart_from_main():
        cluster: AbstractContextManager[Any] = distributed.LocalCluster(**options, silence_logs=logging.CRITICAL)
    return cluster


def _wait(client: Client, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise UserError(
            f"--cluster: {address}: the scheduler has no workers, expected some (dask worker {address})"
        ) from None


def _identities(client: Client) -> dict[str, Mapping[str, str]]:
    try:
        found: dict[str, Mapping[str, str]] = client.run(identity)
    except Exception as e:
        # whatever a worker cannot do with us: as a rule, it has no wavetank
        raise UserError(
            f"--cluster: a worker cannot say which core it has ({type(e).__name__}: {e}), expected wavetank {__version__} "
            "installed on every worker"
        ) from None
    return found


def _carry_out(distributed: Any, client: Client, runs: Sequence[Run]) -> Iterator[tuple[int, Answer]]:
    """Each run's answer. Raises what a run raised, and WorkerDied where workers or the scheduler ended."""
    expected = identity()
    submit: Callable[..., Any] = client.submit
    cancel: Callable[..., Any] = client.cancel
    futures = {submit(work, run, expected, pure=False): i for i, run in enumerate(runs)}
    try:
        finished = distributed.as_completed(list(futures), with_results=True, loop=client.loop)
        for future, found in finished:
            if not isinstance(found, Answer):  # an exception that says that it was cancelled
                raise workers.WorkerDied(f"the cluster lost a run ({str(found).splitlines()[0]})")
            i = futures.pop(future)
            future.release()  # the scheduler need not hold it any longer
            yield i, found
    except distributed.KilledWorker as e:
        raise workers.WorkerDied(f"the cluster's workers died on a run ({e})") from None
    finally:
        with suppress(Exception):
            cancel(list(futures))
