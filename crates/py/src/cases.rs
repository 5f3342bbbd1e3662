//! Single cases of the references and of the benchmark.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::time::Instant;
use wavetank_core::net::World;
use wavetank_core::phy::Mode;
use wavetank_core::sim::Span;
use wavetank_core::wifi::{Ac, medium, saturation};
use wavetank_core::workloads;

fn field<T: std::str::FromStr>(row: &HashMap<String, String>, key: &str) -> PyResult<T> {
    let text = row.get(key).ok_or_else(|| PyKeyError::new_err(format!("the row has no column \"{key}\"")))?;
    text.parse().map_err(|_| PyKeyError::new_err(format!("column \"{key}\": \"{text}\" is not a number")))
}

fn case(row: &HashMap<String, String>) -> PyResult<(saturation::Params, Mode)> {
    let name: String = field(row, "mode")?;
    let (mhz, sgi) = (field::<u8>(row, "width_mhz")?, field::<u8>(row, "sgi")? == 1);
    let mode = saturation::mode_named(&name, mhz, sgi).ok_or_else(|| {
        PyKeyError::new_err(format!(
            "column \"mode\": \"{name}\" at {mhz} MHz; expected HtMcs0 to 31, VhtMcs0 to 9, HeMcs0 to 11 or OfdmRate6Mbps to 54Mbps"
        ))
    })?;
    let p = saturation::Params {
        stations: field(row, "stations")?,
        payload: field(row, "udp_payload")?,
        max_ampdu_bytes: field(row, "max_ampdu_bytes")?,
        rts: field::<u8>(row, "rts")? == 1,
        down: field::<String>(row, "dir")? == "down",
        window: if row.contains_key("ba_window") { field(row, "ba_window")? } else { 64 },
        txop: !row.contains_key("txop") || field::<u8>(row, "txop")? == 1,
        ..saturation::Params::default()
    };
    Ok((p, mode))
}

/// What each station sends, "VI+BE|BE": `|` between the stations that take it in turn, `+` between one's categories. Best effort without it.
fn categories(row: &HashMap<String, String>, mode: Mode) -> PyResult<Vec<Vec<Ac>>> {
    let text = row.get("categories").map_or("BE", String::as_str);
    let bad = |what: String| PyKeyError::new_err(format!("column \"categories\": \"{text}\": {what}"));
    let mut sets = Vec::new();
    for entry in text.split('|') {
        let mut set = Vec::new();
        for name in entry.split('+') {
            let ac = Ac::ALL.into_iter().find(|ac| ac.name().to_ascii_uppercase() == name).ok_or_else(|| {
                bad(format!("\"{name}\" is no category; expected VO, VI, BE or BK, such as VI+BE|BE"))
            })?;
            if set.contains(&ac) {
                return Err(bad(format!("{name} is there twice in one station, which has one queue for it")));
            }
            set.push(ac);
        }
        sets.push(set);
    }
    if !mode.aggregates() && sets != [[Ac::Be]] {
        return Err(bad("stations of 802.11a have no QoS; expected BE alone".into()));
    }
    Ok(sets)
}

/// Raises KeyError if a row of the saturation table names what there is not.
#[pyfunction]
pub(crate) fn dcf_check(row: HashMap<String, String>) -> PyResult<()> {
    let (_, mode) = case(&row)?;
    categories(&row, mode).map(|_| ())
}

/// What Bianchi's model with the same retry limit gives for a row of single frames without RTS, Mbit/s.
#[pyfunction]
pub(crate) fn dcf_bianchi(row: HashMap<String, String>) -> PyResult<f64> {
    let (p, mode) = case(&row)?;
    Ok(saturation::bianchi(&p, mode).solve().goodput)
}

/// Goodput in Mbit/s of one row of the saturation table (its columns, as text), over `seconds` of saturation.
#[pyfunction]
pub(crate) fn dcf_case(py: Python<'_>, row: HashMap<String, String>, seed: u64, seconds: f64) -> PyResult<f64> {
    let (p, mode) = case(&row)?;
    let span = Span::from_ns((seconds * 1e9) as i64);
    Ok(py.detach(|| saturation::run(&p, medium::Params::default(), mode, span, seed).goodput_mbit))
}

/// Goodput in Mbit/s of each of VO, VI, BE and BK, of one row of the table of several categories, as [`dcf_case`].
#[pyfunction]
pub(crate) fn dcf_categories(
    py: Python<'_>,
    row: HashMap<String, String>,
    seed: u64,
    seconds: f64,
) -> PyResult<[f64; Ac::COUNT]> {
    let (p, mode) = case(&row)?;
    let sets = categories(&row, mode)?;
    let sets: Vec<&[Ac]> = sets.iter().map(Vec::as_slice).collect();
    let span = Span::from_ns((seconds * 1e9) as i64);
    Ok(py.detach(|| saturation::run_categories(&p, medium::Params::default(), mode, &sets, span, seed).by_category))
}

/// Peak resident set of this process, MB (10^6 bytes); none where the system does not tell.
fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"))?;
    Some(kib.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// Runs a standard workload: name, simulated_s, wall_s, events, packets, goodput_mbit, and core_peak_rss_mb, by how much
/// the run raised this process's peak (meaningful in a fresh process).
#[pyfunction]
pub(crate) fn bench<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let names: Vec<_> = workloads::ALL.iter().map(|w| w.name).collect();
    let before = peak_rss_mb();
    let w = workloads::ALL.iter().find(|w| w.name == name).ok_or_else(|| {
        PyKeyError::new_err(format!("there is no workload \"{name}\"; expected one of {}", names.join(", ")))
    })?;
    let world = World::new(&w.scenario(&[])).expect("a shipped workload builds");
    let start = Instant::now();
    let out = py.detach(|| world.run());
    let d = PyDict::new(py);
    d.set_item("name", name)?;
    d.set_item("wall_s", start.elapsed().as_secs_f64())?;
    d.set_item("core_peak_rss_mb", before.zip(peak_rss_mb()).map(|(b, a)| a - b))?;
    d.set_item("simulated_s", out.simulated.as_s())?;
    d.set_item("events", out.events)?;
    d.set_item("packets", out.ledger.made)?;
    d.set_item("goodput_mbit", out.flows.iter().map(|f| f.goodput_mbit(out.window)).sum::<f64>())?;
    Ok(d)
}

/// Names of the standard workloads, in their order.
#[pyfunction]
pub(crate) fn workload_names() -> Vec<&'static str> {
    workloads::ALL.iter().map(|w| w.name).collect()
}
