// SPDX-License-Identifier: GPL-2.0
//! What the CSI daemon does for AARC, within the guest: each radio's reports of received PPDUs become effective SNR, which
//! reaches the sender's rate control a given time after the PPDU ended.
//!
//! Stands for: `wavetank csid` and the second radio that it sends over (docs/csid.md has the messages; the arithmetic is the model's, crates/csi).
//! Differs: D1 no UDP, no keys, no losses: a constant delay. D2 the smoothed SNR of a pair never expires.

use crate::air::station_ns;
use crate::genl::{family, put, receive, send, socket};
use crate::sys;
use std::collections::HashMap;
use std::os::fd::RawFd;
use wavetank_csi::{effective_db, mean_snr_db, Ewma};

const REPORT_TIME: u16 = 5;
const REPORT_TA: u16 = 3;
const REPORT_RA: u16 = 4;
const REPORT_SNR_CTRL: u16 = 12;
const REPORT_SNR_EXT: u16 = 13;
const REPORT_CSI: u16 = 14;

/// Starts a listener for each of `radios` (0 is the access point's).
pub fn start(radios: usize, delay: i64) -> Result<(), String> {
    for i in 0..radios {
        let (ready, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let sockets = sys::enter(&namespace(i)).and_then(|()| listen());
            let failed = sockets.as_ref().err().cloned();
            ready.send(failed).expect("the starter waits");
            if let Ok(fd) = sockets {
                serve(fd, delay);
            }
        });
        if let Some(e) = told.recv().map_err(|e| e.to_string())? {
            return Err(format!("feedback: {}: {e}", namespace(i)));
        }
    }
    Ok(())
}

fn namespace(radio: usize) -> String {
    radio.checked_sub(1).map_or_else(|| "AP".into(), station_ns)
}

/// A socket that hears the group `csi` of this namespace's radio.
fn listen() -> Result<RawFd, String> {
    let fd = socket()?;
    let family = family(fd, "wavetank_csi")?;
    let group = family.1.get("csi").ok_or("wavetank_csi has no group csi")?;
    sys::set_opt(fd, libc::SOL_NETLINK, libc::NETLINK_ADD_MEMBERSHIP, group)?;
    Ok(fd)
}

fn serve(fd: RawFd, delay: i64) {
    sys::realtime();
    let mut smooth: HashMap<[u8; 12], Ewma> = HashMap::new();
    let mut senders: HashMap<u8, (RawFd, u16)> = HashMap::new();
    let mut buffer = vec![0u8; 16384];
    loop {
        let Some((_, report)) = receive(fd, &mut buffer) else { continue };
        let Some((pair, at, values)) = measure(&report, &mut smooth) else { continue };
        let sender = pair[5]; // the last octet of an address is the radio's number
        let to = senders.entry(sender).or_insert_with(|| aarc(sender.into()).expect("rate control's family"));
        sys::sleep_until(at + delay);
        let mut body = Vec::new();
        put(&mut body, 1, &pair[6..]);
        put(&mut body, 2, &values[..4].iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<_>>());
        put(&mut body, 3, &values[4].to_ne_bytes());
        put(&mut body, 4, &((delay / 1000) as u32).to_ne_bytes());
        send(to.0, to.1, 1, &body);
    }
}

/// A socket in the sender's namespace, and the number of its rate control's family.
fn aarc(radio: usize) -> Result<(RawFd, u16), String> {
    sys::within(&namespace(radio), || {
        let fd = socket()?;
        Ok((fd, family(fd, "wavetank_aarc")?.0))
    })
}

/// Of a report: who sent and who received it, when it ended, and the effective SNRs and the SNR, 1/100 dB.
fn measure(a: &HashMap<u16, &[u8]>, smooth: &mut HashMap<[u8; 12], Ewma>) -> Option<([u8; 12], i64, [i16; 5])> {
    let short = |k| Some(i16::from_ne_bytes(a.get(&k)?[..2].try_into().ok()?));
    let mut pair = [0; 12];
    pair[..6].copy_from_slice(a.get(&REPORT_TA)?);
    pair[6..].copy_from_slice(a.get(&REPORT_RA)?);
    let at = i64::from_ne_bytes(a.get(&REPORT_TIME)?[..8].try_into().ok()?);
    let csi: Vec<i16> = a.get(&REPORT_CSI)?.chunks_exact(2).map(|c| i16::from_ne_bytes([c[0], c[1]])).collect();
    let db = |v: i16| f64::from(v) / 100.0;
    let mean = mean_snr_db(db(short(REPORT_SNR_CTRL)?), short(REPORT_SNR_EXT).map(db));
    let now = smooth.entry(pair).or_insert_with(|| Ewma::new(Ewma::SNR_WEIGHT)).add(mean);
    let esnr = effective_db(&csi, now).unwrap_or([now; 4]);
    let centi = |db: f64| (db * 100.0).clamp(-32_768.0, 32_767.0) as i16;
    Some((pair, at, [esnr[0], esnr[1], esnr[2], esnr[3], now].map(centi)))
}
