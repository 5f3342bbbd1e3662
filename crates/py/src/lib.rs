//! `wavetank._core`: runs scenarios and tells the schema. Arrays leave as numpy arrays; nothing is computed here.

mod air;
mod cases;
mod csi;
mod drill;
mod floor;
mod minstrel;
mod outcome;
mod phy;
mod schema;
mod state;
mod steps;

use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wavetank_core::net::{self, World};
use wavetank_core::scenario::{self, Scenario, Source};
use wavetank_core::traffic::plan::Plan;

// It has two bases, which the core's own classes cannot have: Python's part has it.
import_exception!(wavetank.refused, ScenarioError);

pub(crate) fn read(text: &str, path: &str, overrides: &[(String, String)], seed: Option<u64>) -> PyResult<Scenario> {
    let mut s = scenario::read(&Source { path, text }, overrides).map_err(|e| ScenarioError::new_err(e.to_string()))?;
    if let Some(seed) = seed {
        s.seed = seed;
    }
    Ok(s)
}

/// Runs a scenario.
///
/// `text` is TOML, `path` its name for messages, `overrides` are dotted keys with their values. Returns a dict whose arrays
/// are float64; raises `ScenarioError`. `states`: instants, ns, in order, at which it is looked at.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![], seed=None, states=vec![]))]
fn run<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    states: Vec<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let s = read(text, path, &overrides, seed)?;
    let mut world = World::new(&s).map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))?;
    let seen = steps::run(py, &mut world, &states)?;
    let out = py.detach(|| world.run());
    let d = outcome::to_dict(py, &s, &out)?;
    d.set_item("states", state::to_list(py, &seen)?)?;
    Ok(d)
}

/// Validates a scenario without running it; returns every key with its value.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![]))]
fn check<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyDict>> {
    let s = read(text, path, &overrides, None)?;
    net::check(&s).map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))?;
    let d = PyDict::new(py);
    for (k, v) in s.resolved() {
        d.set_item(k, v)?;
    }
    Ok(d)
}

/// Whether the model can run a scenario: whether nothing of it is the real kernel's alone. Raises `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![]))]
fn modelled(text: &str, path: &str, overrides: Vec<(String, String)>) -> PyResult<()> {
    net::modelled(&read(text, path, &overrides, None)?).map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))
}

/// One key's value alone, as it would be used; `source` stands in messages where a file would. Raises `ScenarioError`.
#[pyfunction]
fn value(source: &str, key: &str, text: &str) -> PyResult<String> {
    scenario::value(source, key, text).map_err(|e| ScenarioError::new_err(e.to_string()))
}

/// The keys that a scenario's text names. Raises `ScenarioError` where it is no TOML.
#[pyfunction]
fn given(text: &str, path: &str) -> PyResult<Vec<String>> {
    scenario::given(&Source { path, text }).map_err(|e| ScenarioError::new_err(e.to_string()))
}

/// The channel of a scenario, written down for the virtual radio (linux/radio/air/channel.c); None if it has none. Raises `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![], seed=None, csi=false))]
fn channel_trace<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    csi: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let s = read(text, path, &overrides, seed)?;
    let bytes = py.detach(|| wavetank_core::net::channel_trace(&s, csi));
    let bytes = bytes.map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))?;
    Ok(bytes.map(|b| PyBytes::new(py, &b)))
}

/// How long after the flows' start each flow begins, and after the run's start each series of echoes, ns. Raises `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![], seed=None))]
fn starts(
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let plan = Plan::of(&read(text, path, &overrides, seed)?);
    Ok((plan.flows.iter().map(|f| f.delay.ns()).collect(), plan.echoes.iter().map(|e| e.delay.ns()).collect()))
}

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("CHECKED", cfg!(debug_assertions))?;
    m.add("ScenarioError", m.py().get_type::<ScenarioError>())?;
    m.add_function(wrap_pyfunction!(run, m)?)?;
    m.add_function(wrap_pyfunction!(check, m)?)?;
    m.add_function(wrap_pyfunction!(modelled, m)?)?;
    m.add_function(wrap_pyfunction!(value, m)?)?;
    m.add_function(wrap_pyfunction!(channel_trace, m)?)?;
    m.add_function(wrap_pyfunction!(given, m)?)?;
    m.add_function(wrap_pyfunction!(starts, m)?)?;
    m.add_function(wrap_pyfunction!(floor::floor, m)?)?;
    m.add_function(wrap_pyfunction!(air::run_watched, m)?)?;
    m.add_function(wrap_pyfunction!(air::watch_log, m)?)?;
    m.add_function(wrap_pyfunction!(air::air_views, m)?)?;
    m.add_function(wrap_pyfunction!(air::analyze, m)?)?;
    m.add_function(wrap_pyfunction!(air::deliveries, m)?)?;
    m.add_function(wrap_pyfunction!(air::compress_acks, m)?)?;
    m.add("CaptureError", m.py().get_type::<air::CaptureError>())?;
    m.add_function(wrap_pyfunction!(csi::effective_snr, m)?)?;
    m.add_function(wrap_pyfunction!(phy::ppdu_ms, m)?)?;
    m.add_function(wrap_pyfunction!(cases::dcf_case, m)?)?;
    m.add_function(wrap_pyfunction!(cases::dcf_categories, m)?)?;
    m.add_function(wrap_pyfunction!(cases::dcf_check, m)?)?;
    m.add_function(wrap_pyfunction!(cases::dcf_bianchi, m)?)?;
    m.add_function(wrap_pyfunction!(cases::bench, m)?)?;
    m.add_function(wrap_pyfunction!(cases::workload_names, m)?)?;
    m.add_function(wrap_pyfunction!(drill::packetdrill, m)?)?;
    m.add_function(wrap_pyfunction!(minstrel::minstrel_replay, m)?)?;
    m.add_function(wrap_pyfunction!(schema::schema, m)?)?;
    m.add_function(wrap_pyfunction!(schema::registry, m)?)?;
    m.add_function(wrap_pyfunction!(schema::drivers, m)?)?;
    m.add_function(wrap_pyfunction!(schema::nearest, m)?)?;
    m.add_function(wrap_pyfunction!(schema::meant, m)?)?;
    m.add_function(wrap_pyfunction!(schema::category, m)?)?;
    m.add_function(wrap_pyfunction!(schema::theory, m)?)?;
    m.add_function(wrap_pyfunction!(schema::theory_eval, m)?)?;
    Ok(())
}
