//! What an analysis says, as it leaves: rates in Mbit/s, times in s, ms or us as their names say.

use super::Quantiles;
use super::air::Use;
use super::cut::{Cuts, Hidden};
use super::flows::{Direction, Flow};
use super::series::Series;
use super::{Analysis, Counts};
use crate::frame::Mac;
use crate::phy::Phy;
use serde::Serialize;
use std::collections::BTreeMap;
use wavetank_core::wifi::AirAccount;

/// p10, p50, p90, mean and how many.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    p10: f64,
    p50: f64,
    p90: f64,
    mean: f64,
    n: u64,
    /// Every fiftieth part's, the least and the largest among them.
    quantiles: Vec<f64>,
}

/// A sum a step: the steps' width and begin (s), the sums in the unit that the name says.
#[derive(Clone, Debug, Serialize)]
pub struct Steps {
    begin_s: f64,
    step_s: f64,
    values: Vec<f64>,
}

/// A rate and what went at it.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    rate: String,
    /// None: the rate is not known.
    mbit: Option<f64>,
    ppdus: u64,
    mpdus: u64,
    /// MPDUs of which it cannot be told whether they were acknowledged.
    unknown: u64,
    /// Of the others.
    loss_rate: Option<f64>,
    /// None: of none of them is it known.
    airtime_s: Option<f64>,
}

/// What a transmitter, or a link, did.
#[derive(Clone, Debug, Serialize)]
pub struct Sent {
    ppdus: u64,
    mpdus: u64,
    bytes: u64,
    /// PPDUs by the number of their MPDUs, up to the largest.
    ampdu_hist: Vec<u64>,
    unanswered: u64,
    collided: u64,
    bad_fcs: u64,
    retries: u64,
    unacked: u64,
    /// MPDUs of which it cannot be told whether they were acknowledged.
    unknown: u64,
    retry_rate: f64,
    /// Of the others. None: there are none, or no response was captured at all.
    loss_rate: Option<f64>,
    /// Of the PPDUs of which it is known. None: there are none.
    airtime_s: Option<f64>,
    /// None, too, without a time in which it was (Simple Packet Blocks have none).
    airtime_fraction: Option<f64>,
    rates: Vec<Rate>,
}

/// A link.
#[derive(Clone, Debug, Serialize)]
pub struct LinkReport {
    from: String,
    to: String,
    #[serde(flatten)]
    sent: Sent,
}

/// A transmitter.
#[derive(Clone, Debug, Serialize)]
pub struct StationReport {
    name: String,
    mac: String,
    #[serde(flatten)]
    sent: Sent,
    /// Runs of PPDUs with nobody else's between, by length; the last stands for all longer ones.
    back_to_back: Vec<u64>,
    airtime_us: Steps,
}

/// A direction of a flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowReport {
    protocol: &'static str,
    src: String,
    dst: String,
    /// The transmitter on the air.
    station: Option<String>,
    /// None, as most figures below: the capture cuts the headers of packets that may be the flow's.
    packets: Option<u64>,
    bytes: Option<u64>,
    /// None, too, without a time in which it was.
    goodput_mbit: Option<f64>,
    /// Whether the bytes are those that were acknowledged (else: those that were seen).
    by_acks: bool,
    retransmissions: Option<u64>,
    rtt_ms: Option<Spread>,
    /// From data on the air to its ACK on the air.
    ack_ms: Option<Spread>,
    delivered_bytes: Steps,
    rtt_series_ms: Steps,
}

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of the first and the last frame, s.
    pub span_s: Option<(f64, f64)>,
    /// What was counted, s.
    pub window_s: Option<(f64, f64)>,
    pub(super) frames: Counts,
    stations: Vec<StationReport>,
    links: Vec<LinkReport>,
    flows: Vec<FlowReport>,
    pings: Vec<FlowReport>,
    /// Share of the time in which anybody's exchange was on the air. None: no airtime is known, or no time in which it was.
    busy_fraction: Option<f64>,
    packets_of_flows_beyond: u64,
    frames_of_stations_beyond: u64,
}

impl Sent {
    /// Whose airtime is more, or where that is not known, who sent more.
    fn most(&self, other: &Sent) -> core::cmp::Ordering {
        let airtime = |s: &Sent| s.airtime_s.unwrap_or(0.0);
        airtime(self).total_cmp(&airtime(other)).then(self.bytes.cmp(&other.bytes))
    }
}

fn spread(q: &Quantiles) -> Option<Spread> {
    let at = |p| q.quantile(p).map(|ns| ns / 1e6);
    Some(Spread {
        p10: at(0.1)?,
        p50: at(0.5)?,
        p90: at(0.9)?,
        mean: q.mean()? / 1e6,
        n: q.count(),
        quantiles: (0..=50).filter_map(|k| at(f64::from(k) / 50.0)).collect(),
    })
}

fn steps(s: &Series, unit: f64) -> Steps {
    let (begin_s, step_s, sums) = s.parts();
    Steps { begin_s, step_s, values: sums.iter().map(|&v| v as f64 * unit).collect() }
}

fn share(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// Sums over links.
struct Sum {
    account: AirAccount,
    n: [u64; 7],
    rates: BTreeMap<Option<Phy>, Use>,
}

impl Sum {
    fn new() -> Sum {
        Sum { account: AirAccount::new(super::air::MPDUS), n: [0; 7], rates: BTreeMap::new() }
    }
    fn add(&mut self, l: &super::air::Link) {
        self.account.add(&l.account);
        let more = [l.mpdus, l.bytes, l.collided, l.bad, l.retries, l.unacked, l.unknown];
        self.n.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        for (phy, u) in &l.rates {
            let r = self.rates.entry(*phy).or_default();
            r.ppdus += u.ppdus;
            r.mpdus += u.mpdus;
            r.unacked += u.unacked;
            r.unknown += u.unknown;
            r.airtime += u.airtime;
            r.timed += u.timed;
        }
    }
    /// `told`: responses were captured, so losses can be told.
    fn sent(&self, seconds: f64, told: bool) -> Sent {
        let [mpdus, bytes, collided, bad_fcs, retries, unacked, unknown] = self.n;
        let hist = &self.account.hist;
        let last = hist.iter().rposition(|&n| n > 0).map_or(0, |i| i + 1);
        // Of nothing sent nothing was lost; of what is not known at all, that is not known.
        let lost = |unacked: u64, unknown: u64, mpdus: u64| {
            (told && (mpdus == 0 || mpdus > unknown)).then(|| share(unacked, mpdus - unknown))
        };
        let rate = |(phy, u): (&Option<Phy>, &Use)| Rate {
            rate: phy.map_or_else(|| "unknown".into(), |p| p.to_string()),
            mbit: phy.map(|p| p.rate_bps() as f64 / 1e6),
            ppdus: u.ppdus,
            mpdus: u.mpdus,
            unknown: u.unknown,
            loss_rate: lost(u.unacked, u.unknown, u.mpdus),
            airtime_s: (u.timed > 0).then_some(u.airtime as f64 / 1e9),
        };
        // Who sent nothing took no time.
        let timed = self.rates.is_empty() || self.rates.values().any(|u| u.timed > 0);
        let airtime_s = timed.then(|| self.account.airtime.as_s());
        Sent {
            ppdus: hist.iter().sum(),
            mpdus,
            bytes,
            ampdu_hist: hist[..last].to_vec(),
            unanswered: self.account.unanswered,
            collided,
            bad_fcs,
            retries,
            unacked,
            unknown,
            retry_rate: share(retries, mpdus),
            loss_rate: lost(unacked, unknown, mpdus),
            airtime_s,
            airtime_fraction: airtime_s.filter(|_| seconds > 0.0).map(|s| s / seconds),
            rates: self.rates.iter().map(rate).collect(),
        }
    }
}

fn end((ip, port): (u128, u16), ports: bool) -> String {
    let v6 = std::net::Ipv6Addr::from(ip);
    match (v6.to_ipv4_mapped(), ports) {
        (Some(v4), true) => format!("{v4}:{port}"),
        (Some(v4), false) => v4.to_string(),
        (None, true) => format!("[{v6}]:{port}"),
        (None, false) => v6.to_string(),
    }
}

/// `whole`: seconds that are counted; `listened`: for how many of them somebody listened.
fn flow(f: &Flow, way: usize, (whole, listened): (f64, f64), stations: &[String], cuts: &Cuts) -> FlowReport {
    let d: &Direction = &f.ways[way];
    let hidden = cuts.hidden(f.ends[0].0, f.ends[1].0, f.protocol);
    let (told, timed) = (hidden < Hidden::All, hidden < Hidden::RoundTrips);
    let known =
        |s: &Series, known: bool, unit: f64| if known { steps(s, unit) } else { steps(&Series::default(), unit) };
    let by_acks = d.acked > 0;
    // What went meanwhile was acknowledged, too.
    let (bytes, seconds) = if by_acks { (d.acked, whole) } else { (d.payload, listened) };
    let ports = f.protocol != "icmp";
    let (sum, n) = (&d.rtt_series.0, &d.rtt_series.1);
    let mut rtt = known(sum, timed, 1e-3);
    rtt.values.iter_mut().zip(n.parts().2).for_each(|(v, &n)| *v = if n == 0 { 0.0 } else { *v / n as f64 });
    FlowReport {
        protocol: f.protocol,
        src: end(f.ends[way], ports),
        dst: end(f.ends[1 - way], ports),
        station: d.station.map(|i| stations[i].clone()),
        packets: told.then_some(d.packets),
        bytes: told.then_some(bytes),
        goodput_mbit: (told && seconds > 0.0).then(|| bytes as f64 * 8e-6 / seconds),
        by_acks,
        retransmissions: told.then_some(d.retransmissions),
        rtt_ms: spread(&d.rtt).filter(|_| timed),
        ack_ms: spread(&d.half).filter(|_| timed),
        delivered_bytes: known(&d.series, told, 1.0),
        rtt_series_ms: rtt,
    }
}

pub(super) fn make(mut a: Analysis, listened: Option<f64>, name: &dyn Fn(Mac) -> Option<String>) -> Report {
    a.stations.end();
    let seconds = |(from, to): (u64, u64)| (from as f64 / 1e9, to as f64 / 1e9);
    // A window that reaches beyond the capture is as long as what there is of it.
    let window = match (a.window, a.span) {
        (Some((from, to)), Some((first, last))) => Some((from.max(first), to.min(last).max(from))),
        (None, span) => span,
        (window, None) => window,
    }
    .map(seconds);
    // Of frames without a time nobody knows in which they came.
    let timed = a.window.is_some() || a.counts.untimed == 0;
    let whole = window.filter(|_| timed).map_or(0.0, |(from, to)| to - from);
    let length = listened.filter(|_| timed).unwrap_or(whole);
    let called = |mac: Mac| name(mac).unwrap_or_else(|| mac.to_string());
    let names: Vec<String> = a.stations.all.iter().map(|s| called(s.mac)).collect();

    let told = a.counts.responses > 0;
    let mut stations = Vec::new();
    for (i, s) in a.stations.all.iter().enumerate() {
        let mut sum = Sum::new();
        a.stations.links.iter().filter(|l| l.from == i).for_each(|l| sum.add(l));
        let last = s.runs.iter().rposition(|&n| n > 0).map_or(0, |i| i + 1);
        stations.push(StationReport {
            name: names[i].clone(),
            mac: s.mac.to_string(),
            sent: sum.sent(length, told),
            back_to_back: s.runs[..last].to_vec(),
            airtime_us: steps(&s.airtime, 1e-3),
        });
    }
    stations.sort_by(|x, y| y.sent.most(&x.sent));
    let sent = |l: &&super::air::Link| l.account.hist.iter().any(|&n| n > 0);
    let mut links: Vec<_> = (a.stations.links.iter().filter(sent))
        .map(|l| {
            let mut sum = Sum::new();
            sum.add(l);
            LinkReport { from: names[l.from].clone(), to: called(l.to), sent: sum.sent(length, told) }
        })
        .collect();
    links.sort_by(|x, y| y.sent.most(&x.sent));
    let (mut flows, mut pings) = (Vec::new(), Vec::new());
    for f in &a.flows.all {
        for way in 0..2 {
            let d = &f.ways[way];
            if f.protocol == "icmp" {
                if d.rtt.count() > 0 {
                    pings.push(flow(f, way, (whole, length), &names, &a.cuts));
                }
            } else if d.acked > 0 || d.payload > 0 {
                flows.push(flow(f, way, (whole, length), &names, &a.cuts));
            }
        }
    }
    flows.sort_by(|x, y| y.bytes.cmp(&x.bytes).then_with(|| x.src.cmp(&y.src)));
    let sent_any = stations.iter().any(|s| s.sent.ppdus > 0);
    let busy = stations.iter().filter_map(|s| s.sent.airtime_s).fold(0.0, |a, b| a + b);
    let told = !sent_any || stations.iter().any(|s| s.sent.ppdus > 0 && s.sent.airtime_s.is_some());
    let busy_fraction = match length > 0.0 {
        true => Some(busy / length),
        false => (!sent_any).then_some(0.0),
    };
    Report {
        span_s: a.span.map(seconds),
        window_s: window,
        frames: a.counts,
        stations,
        links,
        flows,
        pings,
        busy_fraction: busy_fraction.filter(|_| told),
        packets_of_flows_beyond: a.flows.beyond,
        frames_of_stations_beyond: a.stations.beyond,
    }
}
