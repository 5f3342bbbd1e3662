"""The JSON Schema that editors check scenario files by: it takes what the core takes, and refuses slips."""

import json
import tomllib

import jsonschema
import pytest

from wavetank import ScenarioError, schema
from wavetank.scenario import Scenario
from wavetank.shipped import SCENARIOS
from wavetank.validate import linux_draw, linux_draw_rare

SMALL = 'name = "x"\n[topology]\nkind = "wifi"\n'


@pytest.fixture(scope="module")
def check():
    document = schema.document()
    jsonschema.Draft7Validator.check_schema(document)
    validator = jsonschema.Draft7Validator(document)
    return lambda text: [f"{e.json_path}: {e.message}" for e in validator.iter_errors(tomllib.loads(text))]


def test_every_scenario_that_runs_is_taken(check):
    texts = {p.name: p.read_text(encoding="utf-8") for p in SCENARIOS.glob("*.toml")}
    assert len(texts) > 10
    for draw in (linux_draw, linux_draw_rare):
        texts |= {name: Scenario.from_dict({"name": name, **values}).text for name, values in draw.scenarios(5, 40)}
    assert {name: found for name, text in texts.items() if (found := check(text))} == {}


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("[tcp]\ntsq_mss = 4", "tsq_mss"),
        ('[tcp]\ncc = "cubik"', "$.tcp.cc"),
        ("[wifi]\nmcs = 300", "$.wifi.mcs"),
        ('[wifi]\nshort_gi = "true"', "$.wifi.short_gi"),
        ("[time]\nflows = [5]", "$.time.flows"),
        ("[wifi]\nerror_rate = 1.5", "$.wifi.error_rate"),
        ("[tpc]\nx = 1", "tpc"),
    ],
)
def test_slips_are_found_which_the_core_refuses_too(check, line, where):
    (found,) = check(f"{SMALL}{line}\n")
    assert where in found
    with pytest.raises(ScenarioError):
        Scenario(f"{SMALL}{line}\n").check()


@pytest.mark.parametrize(
    "line",
    [
        'kernel = "3.18"',
        '[time]\nflows = "5 s"',
        "[traffic]\ntcp_dscp = 46",
        '[traffic]\ntcp_dscp = "EF"\ntcp_up = "auto"',
        "[tcp]\nwmem_max = 65536",
        "[channel]\non = true\n[stations]\nsnr = [20, 30.5]",
        "[stations]\nmcs = 7",
        '[stations]\nmcs = "7*3, 0"',
        "[stations]\nstretch_acks = [true]",
        "[host]\nwake = 0",
    ],
)
def test_every_way_to_write_a_value_is_taken(check, line):
    text = f"{line}\n{SMALL}" if line.startswith("kernel") else f"{SMALL}{line}\n"
    Scenario(text).check()
    assert check(text) == []


def test_the_command_prints_it(wavetank):
    code, out, _ = wavetank("schema")
    document = json.loads(out)
    assert (code, document) == (0, schema.document())
    said = document["properties"]["tcp"]["properties"]["tsq"]["description"]
    assert all(f"{what}: " in said for what in ("Default", "Range", "Source"))
