//! Channel state information from Python: effective SNR of many reports at once.

use crate::outcome::array;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Effective SNR in dB of `n` reports: a float64 array of n x 4 (BPSK, QPSK, 16-QAM, 64-QAM); NaN for a report with nothing in it.
///
/// `csi`: int16 in the machine's byte order, n x `subcarriers` x 2 (real, imaginary); `snr_db`: float64, n, what each is scaled by.
#[pyfunction]
pub(crate) fn effective_snr<'py>(
    py: Python<'py>,
    csi: &Bound<'py, PyBytes>,
    subcarriers: usize,
    snr_db: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyAny>> {
    let (csi, snr) = (csi.as_bytes(), snr_db.as_bytes());
    let n = snr.len() / 8;
    if !(1..=512).contains(&subcarriers) || snr.len() % 8 != 0 || csi.len() != n * subcarriers * 4 {
        return Err(PyValueError::new_err(format!(
            "{} bytes of CSI and {} of SNR: for n reports of {subcarriers} sub-carriers (1 to 512) there are 4 n {subcarriers} and 8 n",
            csi.len(),
            snr.len()
        )));
    }
    let out: Vec<f64> = py.detach(|| {
        let mut parts = vec![0_i16; 2 * subcarriers];
        let reports = csi.chunks_exact(4 * subcarriers).zip(snr.chunks_exact(8));
        reports
            .flat_map(|(c, s)| {
                for (p, b) in parts.iter_mut().zip(c.chunks_exact(2)) {
                    *p = i16::from_ne_bytes([b[0], b[1]]);
                }
                let snr = f64::from_ne_bytes(s.try_into().expect("eight bytes"));
                wavetank_csi::effective_db(&parts, snr).unwrap_or([f64::NAN; 4])
            })
            .collect()
    });
    array(py, &out)?.call_method1("reshape", (n, 4))
}
