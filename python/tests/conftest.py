import pytest


@pytest.fixture(scope="session")
def one_result():
    from wavetank.lab import plan
    from wavetank.scenario import Scenario

    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    return s.set({"tcp.tsq_ms": 6, "tcp.tsq": "cotsq", "time.flows": "6 s"}).run(1)


@pytest.fixture
def wavetank(capsys):
    """The command: exit code, standard output, standard error."""
    from wavetank import cli

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return call
