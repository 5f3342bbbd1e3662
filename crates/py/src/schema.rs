//! What there is: parameters, algorithms, closed forms.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use wavetank_core::sim::params::{self, Value};
use wavetank_core::wifi::{Ac, Tid};
use wavetank_core::{driver, qdisc, rate, scenario, tcp, theory as closed};

/// Every parameter: section, key, kind, unit, default, range, doc, source, basis, evidence.
#[pyfunction]
pub(crate) fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for (section, p) in scenario::schema() {
        let d = PyDict::new(py);
        d.set_item("section", section)?;
        d.set_item("key", p.key)?;
        d.set_item("basis", p.basis())?;
        d.set_item("evidence", p.evidence())?;
        d.set_item("kind", p.kind)?;
        d.set_item("unit", p.unit)?;
        d.set_item("default", p.default)?;
        d.set_item("range", p.range)?;
        d.set_item("doc", p.doc)?;
        d.set_item("source", p.source)?;
        all.append(d)?;
    }
    Ok(all)
}

/// The names of every registered algorithm, by kind.
#[pyfunction]
pub(crate) fn registry(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("cc", <tcp::Cc as Value>::names())?;
    d.set_item("qdisc", qdisc::Kind::names())?;
    d.set_item("driver", <driver::Name as Value>::names())?;
    d.set_item("rate", rate::names())?;
    d.set_item("kernel", <scenario::keys::Kernel as Value>::names())?;
    Ok(d)
}

/// Of each Wi-Fi driver by its name: what decides which keys of a scenario mean something to it, and how its state is printed.
#[pyfunction]
pub(crate) fn drivers(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for name in driver::Name::ALL {
        let d = PyDict::new(py);
        d.set_item("asks_for_aql", name.asks_for_aql())?;
        d.set_item("forms_anew", name.forms_anew())?;
        d.set_item("reorders", name.reorders())?;
        d.set_item("permits_amsdus", name.permits_amsdus())?;
        all.set_item(name.name(), d)?;
    }
    Ok(all)
}

/// The name in `names` that is nearest to `got`, by the core's own rule; None if none is near.
#[pyfunction]
pub(crate) fn nearest(got: &str, names: Vec<String>) -> Option<String> {
    params::nearest(got, names.iter().map(String::as_str))
}

/// The key that is meant by `key`, which is none: what a scenario's error would name as near; None if nothing is.
#[pyfunction]
pub(crate) fn meant(key: &str) -> Option<String> {
    scenario::value("", key, "").err().and_then(|e| e.near)
}

/// The access category of a DSCP ("vo", "vi", "be", "bk"): by RFC 8325, or by its upper three bits.
#[pyfunction]
pub(crate) fn category(dscp: u8, rfc8325: bool) -> &'static str {
    Ac::of(Tid::of_dscp(dscp, rfc8325)).name()
}

/// The closed forms: name, title, source, inputs (symbol, default, unit, low, high, whole, doc), outputs.
#[pyfunction]
pub(crate) fn theory(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for f in closed::forms() {
        let d = PyDict::new(py);
        d.set_item("name", f.name)?;
        d.set_item("title", f.title)?;
        d.set_item("source", f.source)?;
        let inputs = PyList::empty(py);
        for i in &f.inputs {
            let e = PyDict::new(py);
            e.set_item("symbol", i.symbol)?;
            e.set_item("default", i.default)?;
            e.set_item("unit", i.unit)?;
            e.set_item("low", i.low)?;
            e.set_item("high", i.high)?;
            e.set_item("whole", i.whole)?;
            e.set_item("doc", i.doc)?;
            inputs.append(e)?;
        }
        d.set_item("inputs", inputs)?;
        d.set_item("outputs", f.outputs.to_vec())?;
        all.append(d)?;
    }
    Ok(all)
}

/// Evaluates a closed form; inputs that are not given take their defaults.
#[pyfunction]
pub(crate) fn theory_eval<'py>(
    py: Python<'py>,
    name: &str,
    inputs: std::collections::HashMap<String, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let form = closed::forms()
        .into_iter()
        .find(|f| f.name == name)
        .ok_or_else(|| PyKeyError::new_err(format!("there is no closed form \"{name}\"")))?;
    if let Some(k) = inputs.keys().find(|k| !form.inputs.iter().any(|i| i.symbol == k.as_str())) {
        let known: Vec<_> = form.inputs.iter().map(|i| i.symbol).collect();
        return Err(PyKeyError::new_err(format!("{name} has no input \"{k}\"; expected one of {}", known.join(", "))));
    }
    let x: Vec<f64> = form.inputs.iter().map(|i| inputs.get(i.symbol).copied().unwrap_or(i.default)).collect();
    let d = PyDict::new(py);
    for (name, y) in form.outputs.iter().zip((form.eval)(&x)) {
        d.set_item(*name, y)?;
    }
    Ok(d)
}
