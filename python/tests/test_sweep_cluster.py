"""Sweeps on a Dask cluster: two processes on loopback give what this machine gives; another core is refused."""

import os

import pytest

import wavetank as wt
from wavetank import workers
from wavetank.lab import plan, runner
from wavetank.sweeps import cluster

SCENARIO = str(plan.ROOT / "scenarios" / "cotsq-ath9k.toml")
SHORT = {"tcp.tsq": "cotsq", "time.flows": "3 s", "time.lead_in": "1 s", "time.tail": "0 s"}


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler with two worker processes on loopback."""
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as local:
        yield local.scheduler_address


def run(out, **where):
    return wt.sweep(SCENARIO, {"tcp.tsq_ms": [1, 4]}, set=SHORT, repetitions=2, out=out, **where)


@pytest.mark.slow
def test_a_cluster_gives_what_this_machine_gives(scheduler, tmp_path):
    here, there = run(tmp_path / "here", jobs=1), run(tmp_path / "there", cluster=scheduler)
    assert there.rows() == here.rows()
    for name in ("points.parquet", "samples.parquet", "points.csv"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    flents = sorted(p.name for p in (tmp_path / "here" / "flent").iterdir())
    assert len(flents) == 2
    for name in flents:
        assert (tmp_path / "there" / "flent" / name).read_bytes() == (tmp_path / "here" / "flent" / name).read_bytes()
    kept = [p.name for p in (tmp_path / "there" / ".runs").iterdir()]
    assert sorted(kept) == sorted(p.name for p in (tmp_path / "here" / ".runs").iterdir())


@pytest.mark.slow
def test_what_is_kept_asks_no_cluster(scheduler, tmp_path):
    run(tmp_path, jobs=1)
    assert run(tmp_path, cluster="tcp://127.0.0.1:9").rows()


@pytest.mark.slow
def test_local_is_a_cluster_of_ones_own(tmp_path):
    assert len(run(tmp_path, cluster="local", jobs=2).rows()) == 4


@pytest.mark.slow
def test_another_core_is_refused_with_both_digests(scheduler, tmp_path, monkeypatch):
    ours = runner.core_digest()
    monkeypatch.setattr(cluster.runner, "core_digest", lambda: "0123456789abcdef")
    with pytest.raises(wt.UserError, match=rf"2 of 2 workers have another core.*{ours}.*here it is 0123456789abcdef"):
        run(tmp_path, cluster=scheduler)
    assert not list(tmp_path.rglob("*.json.gz"))


def test_a_run_itself_refuses_another_core():
    with pytest.raises(wt.UserError, match="this worker"):
        cluster.work(None, {"core": "0123456789abcdef", "records": "7", "wavetank": "0"})


@pytest.mark.slow
def test_an_error_of_a_run_reaches_the_caller(scheduler):
    bad = runner.Run("bad", wt.load(SCENARIO).set({"tcp.cc": "cubik"}), 1)
    with cluster.spread(scheduler, 1) as elsewhere, pytest.raises(wt.ScenarioError, match="cubic"):
        list(elsewhere([bad]))


@pytest.mark.slow
def test_a_worker_that_dies_is_told(monkeypatch):
    """A run that kills whoever takes it: Dask tries it elsewhere, and gives up."""
    import dask
    import distributed

    monkeypatch.setattr(cluster, "work", os._exit)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
        pytest.raises(workers.WorkerDied, match="workers died"),
    ):
        # the first argument is the exit code
        list(cluster._carry_out(distributed, _Client(client), [3]))


class _Client:
    """A client whose work is the run alone."""

    def __init__(self, client):
        self.loop, self.cancel, self._client = client.loop, client.cancel, client

    def submit(self, call, run, expected, pure):
        return self._client.submit(call, run, pure=pure)


def test_without_dask_the_error_says_what_to_install(monkeypatch, wavetank, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    code, _, err = wavetank(
        "sweep", SCENARIO, "tcp.tsq_ms=1", "--cluster", "tcp://127.0.0.1:8786", "--out", tmp_path / "o"
    )
    assert code == 2 and "pip install 'wavetank[cluster]'" in err


@pytest.mark.slow
def test_no_scheduler_and_no_workers_are_told(monkeypatch, tmp_path):
    import distributed

    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with pytest.raises(wt.UserError, match="no Dask scheduler answers"):
        run(tmp_path, cluster="tcp://127.0.0.1:9")
    empty = distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50)
    with empty, pytest.raises(wt.UserError, match="has no workers"):
        run(tmp_path, cluster=empty.scheduler_address)


def test_the_second_water_stays_here(tmp_path):
    with pytest.raises(wt.UserError, match="on this machine"):
        from wavetank.sweeps.run import ask, carry_out

        asked = ask(SCENARIO, ["tcp.tsq_ms=1"])
        from dataclasses import replace

        carry_out(replace(asked, plan=replace(asked.plan, on="linux")), tmp_path, cluster="local")
