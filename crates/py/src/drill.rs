//! packetdrill scripts against the model's socket.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wavetank_core::tcp::Profile;
use wavetank_packetdrill::{Options, run};

/// Runs a packetdrill script: verdict (pass, fail, skip), held, checked, skipped, failure, trace, printed.
///
/// Raises `ValueError` where the text is no script, or the kernel is not known.
#[pyfunction]
#[pyo3(signature = (text, kernel="6.12", hz=1000, max_header=None))]
pub(crate) fn packetdrill<'py>(
    py: Python<'py>,
    text: &str,
    kernel: &str,
    hz: u32,
    max_header: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let profile = Profile::named(kernel).ok_or_else(|| {
        let all: Vec<_> = Profile::ALL.iter().map(|p| p.name).collect();
        PyValueError::new_err(format!("--kernel: \"{kernel}\", expected one of {}", all.join(", ")))
    })?;
    let usual = Options::default();
    let opt = Options { profile, hz, max_header: max_header.unwrap_or(usual.max_header), ..usual };
    let r = py.detach(|| run(text, &opt)).map_err(PyValueError::new_err)?;
    let d = PyDict::new(py);
    d.set_item("verdict", r.verdict.name())?;
    d.set_item("held", r.held)?;
    d.set_item("checked", r.checked)?;
    let mut skipped = Vec::new();
    for s in &r.skipped {
        let one = PyDict::new(py);
        one.set_item("line", s.line)?;
        one.set_item("what", &s.what)?;
        skipped.push(one);
    }
    d.set_item("skipped", skipped)?;
    match &r.failure {
        None => d.set_item("failure", py.None())?,
        Some(f) => {
            let one = PyDict::new(py);
            one.set_item("line", f.line)?;
            one.set_item("what", &f.what)?;
            one.set_item("expected", &f.expected)?;
            one.set_item("actual", &f.actual)?;
            d.set_item("failure", one)?;
        }
    }
    d.set_item("trace", r.trace)?;
    d.set_item("printed", r.printed)?;
    Ok(d)
}
