//! Durations on the air, from Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wavetank_core::phy::{Band, Gi, He, Ht, Mode, Vht, Width, ppdu};

fn mode(standard: &str, mcs: u8, streams: u8, width_mhz: u8, gi_ns: i64) -> Option<Mode> {
    let short_gi = gi_ns == 400;
    match standard {
        "n" if width_mhz == 20 || width_mhz == 40 => Ht::new(mcs, width_mhz == 40, short_gi).map(Mode::Ht),
        "ac" => Vht::new(mcs, streams, Width::from_mhz(width_mhz)?, short_gi).map(Mode::Vht),
        "ax" => {
            let gi = Gi::ALL.iter().copied().find(|gi| gi.span().ns() == gi_ns)?;
            He::new(mcs, streams, Width::from_mhz(width_mhz)?, gi).map(Mode::He)
        }
        _ => None,
    }
}

/// How long a PPDU of `octets` (the PSDU's) is on the air by itself, preamble included, at 5 GHz, ms.
///
/// `standard`: "n" (whose `mcs` says the streams, too), "ac" or "ax"; `gi_ns`: the guard interval, ns; raises `ValueError` for a mode that it does not have.
#[pyfunction]
pub(crate) fn ppdu_ms(standard: &str, mcs: u8, streams: u8, width_mhz: u8, gi_ns: i64, octets: u32) -> PyResult<f64> {
    let mode = mode(standard, mcs, streams, width_mhz, gi_ns).ok_or_else(|| {
        PyValueError::new_err(format!(
            "802.11{standard} has no MCS {mcs} of {streams} streams, {width_mhz} MHz wide; expected 802.11n, 802.11ac or 802.11ax and one of its modes"
        ))
    })?;
    Ok(ppdu(mode, octets, Band::Ghz5).ns() as f64 / 1e6)
}
