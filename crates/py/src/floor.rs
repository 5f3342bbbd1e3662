//! The floor plan from Python, for maps.

use crate::ScenarioError;
use crate::outcome::array;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The floor of a scenario: `size_m` and `ap_m`, places in m from its corner; `stations`, each (x, y, mean SNR in dB) of the four of
/// `floor.topology` (none where that is 0), at the channel's width and in its band; `walk`, (x, y, SNR) at each second of the flows; `snr`, dB, float64, by rows of y and columns of x every `step` m.
#[pyfunction]
#[pyo3(signature = (text, path, overrides=vec![], step=0.5))]
pub(crate) fn floor<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    step: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let s = crate::read(text, path, &overrides, None)?;
    if step.is_nan() || step < 0.01 {
        return Err(ScenarioError::new_err(format!("{path}: a map's step of {step} m; expected 0.01 or more")));
    }
    let plan = wavetank_core::net::floor_plan(&s).map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))?;
    let told = |p: (f64, f64)| (p.0, p.1, plan.snr_db(p));
    let (columns, rows) = ((s.floor.length_m / step) as usize + 1, (s.floor.depth_m / step) as usize + 1);
    let cells = (0..rows * columns).map(|i| ((i % columns) as f64 * step, (i / columns) as f64 * step));
    let snr: Vec<f64> = cells.map(|p| plan.snr_db(p)).collect();
    let seconds = s.time.flows.ns() / 1_000_000_000;
    let stations = if s.floor.topology == 0 { 0 } else { 4 };
    let d = PyDict::new(py);
    d.set_item("size_m", (s.floor.length_m, s.floor.depth_m))?;
    d.set_item("ap_m", plan.access_point())?;
    d.set_item("stations", (0..stations).map(|i| told(plan.place(i))).collect::<Vec<_>>())?;
    d.set_item("walk", (0..=seconds).map(|t| told(plan.walker(t as f64))).collect::<Vec<_>>())?;
    d.set_item("snr", array(py, &snr)?.call_method1("reshape", (rows, columns))?)?;
    Ok(d)
}
