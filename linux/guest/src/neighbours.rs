// SPDX-License-Identifier: GPL-2.0
//! Whose link-layer address is whose, known before anything is sent.
//!
//! A network that has been up for a while knows its addresses, and so does the model. Here a network is new, and a question whose
//! frame is lost comes again after a second only (`net/ipv4/arp.c`, RETRANS_TIME): at 0 dB, where MCS 0 carries nothing, a flow's first
//! segment waited behind it. A learnt address is asked for again some 30 s later (`net/core/neighbour.c`, neigh_timer_handler); a permanent one is not.

use crate::air::{self, station_addr, station_ns};
use crate::sys;
use std::net::Ipv4Addr;

/// One end of a link: a namespace, its device, the device's address.
struct End {
    ns: String,
    dev: String,
    addr: Ipv4Addr,
}

impl End {
    fn new(ns: &str, dev: &str, addr: Ipv4Addr) -> End {
        End { ns: ns.into(), dev: dev.into(), addr }
    }

    /// Tells this end where the other one is.
    fn learn(&self, other: &End) -> Result<(), String> {
        let mac = sys::within(&other.ns, || sys::hardware_address(&other.dev))?;
        let line = format!("neigh replace {} lladdr {mac} dev {} nud permanent\n", other.addr, self.dev);
        sys::feed("ip", &["-n", &self.ns, "-batch"], &line)
    }
}

/// Both ends of every link learn each other's address: stations and access point, access point and server.
pub fn learn(stations: usize) -> Result<(), String> {
    let ap = End::new("AP", "wlan0", air::AP);
    let station = |i: usize| End::new(&station_ns(i), &format!("wlan{}", i + 1), station_addr(i));
    let wire = (End::new("AP", "apw", air::AP_WIRE), End::new("S", "sw", air::SERVER));
    wire.0.learn(&wire.1)?;
    wire.1.learn(&wire.0)?;
    for end in (0..stations).map(station) {
        ap.learn(&end)?;
        end.learn(&ap)?;
    }
    Ok(())
}
