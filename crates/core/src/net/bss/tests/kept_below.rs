//! What a sender gets that keeps so many full frames below its socket over an AR9271: the table of docs/devices/ath9k_htc.md.

use super::*;
use crate::qdisc::Setup;

const PAGE: &str = include_str!("../../../../../../docs/devices/ath9k_htc.md");
const SECONDS: u64 = 4;
/// Flows: the sender's, what answers every second frame of it, pings and their replies.
const DATA: usize = 0;
const ACK: usize = 1;
const PING: usize = 2;
const REPLY: usize = 3;

/// A row's half: payload in Mbit/s, mean ping in ms, frames a unit.
fn measured(n: u32, cw_min: u16) -> [f64; 3] {
    let mut setup = Setup::default();
    setup.fq_codel.target = Span::from_s(10); // a queue that drops nothing, and lets a ping go ahead
    let mut c = config(1, ht(7));
    c.band = Band::Ghz2;
    for a in c.edca.iter_mut().flatten() {
        a.cw_min = 2 * cw_min + 1; // the driver programs half of it
    }
    for s in &mut c.stations {
        s.driver = DriverConfig::Ath9kHtc(Box::default(), qdisc::Kind::FqCodel, Box::new(setup));
    }
    let mut w = World::new(&c, u64::from(n));
    w.flow(1, 0, 1472, 0, n);
    w.flow(0, 1, 24, 0, 0);
    w.flow(1, 0, 56, 0, 0);
    w.flow(0, 1, 56, 0, 0);
    let came = |w: &World, to: u16, flow: usize| w.up.get(&(to, flow as u16)).map_or(0, Vec::len);
    let (mut acks, mut replies, mut sent, mut pings) = (0, 0, Vec::<Time>::new(), vec![]);
    let mut next = Time::from_ms(3);
    while next < Time::from_s(SECONDS) {
        while let Some((now, ev)) = w.q.pop_until(next) {
            w.bss.on(now, ev, &mut w.out, &mut w.seen);
            w.settle();
            while acks < came(&w, 0, DATA) / 2 {
                acks += 1;
                w.send(ACK);
            }
            while replies < came(&w, 0, PING) {
                replies += 1;
                w.send(REPLY);
            }
            pings.extend((pings.len()..came(&w, 1, REPLY)).map(|i| (now - sent[i]).as_ms()));
        }
        sent.push(w.q.now());
        w.send(PING);
        next += Span::from_us(17_300);
    }
    let units: Vec<_> = w.seen.0.iter().filter(|p| p.from == NodeId(1)).map(|p| f64::from(p.mpdus)).collect();
    let mbit = came(&w, 0, DATA) as f64 * 1448.0 * 8e-6 / SECONDS as f64;
    [mbit, pings.iter().sum::<f64>() / pings.len() as f64, units.iter().sum::<f64>() / units.len() as f64]
}

#[test]
fn the_table_of_the_devices_page_is_what_the_model_gives() {
    let mut table = String::new();
    let mut holds = true;
    for n in [2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 400] {
        let ([mbit, ping, unit], [mbit7, ping7, _]) = (measured(n, 15), measured(n, 7));
        table += &format!("| {n} | {mbit:.0} | {ping:.1} | {mbit7:.0} | {ping7:.1} | {unit:.1} |\n");
        let row = PAGE.lines().find(|l| l.starts_with(&format!("| {n} | "))).unwrap_or("");
        let told: Vec<f64> = row.split('|').filter_map(|x| x.trim().parse().ok()).skip(1).collect();
        let is = [mbit, ping, mbit7, ping7, unit];
        holds &= told.len() == 5 && told.iter().zip(is).all(|(t, x)| (t - x).abs() <= 0.06 + 0.02 * x);
    }
    assert!(holds, "the page's rows are not these:\n{table}");
}
