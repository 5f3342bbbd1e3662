//! What looks at a world: series sampled at a fixed step, histograms of what went over the air, and the digest of a run.

use super::census::Party;
use super::ends::{Ends, Sock};
use super::fabric::Fabric;
use super::outcome::{EchoOutcome, FlowOutcome, FlowSeries, NodeOutcome, Outcome, QueueOutcome};
use crate::phy::Mode;
use crate::sim::{BareSeen, Blind, NodeId, Packet, PpduSeen, Probe, Span, Time};
use crate::tcp::{Socket, State};
use crate::traffic::{Echo, Flood, FlowPlan};
use crate::wifi::{AirAccount, Aired, Beaconed, End};

struct NodeSeen {
    name: String,
    station: Option<NodeId>,
    window: AirAccount,
    rx_hist: Vec<u64>,
    rx_bad: Vec<u64>,
    ends: [u64; End::COUNT],
    modes: Vec<(u64, u64)>,
    rx_modes: Vec<(u64, u64)>,
    runs: Vec<u64>,
    window_rx: Span,
    step: Step,
    t: Vec<f64>,
    tx: Vec<f64>,
    rx: Vec<f64>,
    aggr: Vec<f64>,
    tx_bitrate: Vec<f64>,
    rx_bitrate: Vec<f64>,
    rx_bad_share: Vec<f64>,
}

/// What a node sent, and was sent, since the last sample.
#[derive(Default)]
struct Step {
    ppdus: u64,
    mpdus: u64,
    /// The PHY's rate, summed over MPDUs, bit/s.
    bps: u64,
    airtime: Span,
    rx_mpdus: u64,
    rx_bad: u64,
    rx_bps: u64,
    rx_airtime: Span,
}

/// NaN where nothing was counted.
fn share(sum: u64, of: u64) -> f64 {
    if of == 0 { f64::NAN } else { sum as f64 / of as f64 }
}

/// Subscribes to everything that a world publishes; `T` is told of it too.
pub struct Observer<T = Blind> {
    pub(super) tap: T,
    window: (Time, Time),
    in_window: bool,
    flow_plans: Vec<FlowPlan>,
    echo_names: Vec<(String, usize)>,
    /// (sender socket, receiver socket) or the flood, by flow of the plan.
    flow_ends: Vec<Ends>,
    series: Vec<FlowSeries>,
    at_start: Vec<u64>,
    at_end: Vec<u64>,
    nodes: Vec<NodeSeen>,
    queues: Vec<QueueOutcome>,
    /// bit/s, by a mode's number.
    bitrates: Vec<u64>,
    digest: u64,
    /// Who sends, and how many PPDUs after the first.
    run: (NodeId, usize),
}

/// What a world is made of when its time is up.
pub(super) struct Remains<'a> {
    pub(super) simulated: Span,
    pub(super) events: u64,
    pub(super) fabric: &'a Fabric,
    pub(super) socks: &'a [Sock],
    pub(super) echoes: Vec<Echo>,
    pub(super) floods: &'a [Flood],
}

/// Before the first PPDU.
const NOBODY: NodeId = NodeId(u16::MAX);

/// What an observer is to look at.
pub(super) struct Watch {
    pub(super) window: (Time, Time),
    pub(super) samples: usize,
    pub(super) flows: Vec<(FlowPlan, Ends)>,
    pub(super) echoes: Vec<(String, usize)>,
    /// Every node by number: its name, and whether it is on the air.
    pub(super) nodes: Vec<(String, bool)>,
    /// Names of the wired ports' queues.
    pub(super) queues: Vec<String>,
    /// MPDUs of an A-MPDU at most.
    pub(super) mpdus: usize,
}

impl<T: Probe> Observer<T> {
    pub(super) fn new(w: Watch, tap: T) -> Observer<T> {
        let n = w.samples;
        let room = || Vec::with_capacity(n);
        let flows = w.flows.len();
        let (flow_plans, flow_ends): (Vec<_>, Vec<_>) = w.flows.into_iter().unzip();
        Observer {
            tap,
            window: w.window,
            in_window: false,
            flow_plans,
            echo_names: w.echoes,
            flow_ends,
            series: (0..flows)
                .map(|_| FlowSeries {
                    t: room(),
                    received: room(),
                    delay_ms: room(),
                    acked: room(),
                    snd_cwnd: room(),
                    snd_ssthresh: room(),
                    srtt_ms: room(),
                    min_rtt_ms: room(),
                    unacked: room(),
                    retrans: room(),
                    pacing_bps: room(),
                    delivery_bps: room(),
                    notsent: room(),
                })
                .collect(),
            at_start: vec![0; flows],
            at_end: vec![0; flows],
            nodes: w
                .nodes
                .into_iter()
                .enumerate()
                .map(|(i, (name, on_air))| NodeSeen {
                    name,
                    station: on_air.then_some(NodeId(i as u16)),
                    window: AirAccount::new(w.mpdus),
                    rx_hist: vec![0; w.mpdus + 1],
                    rx_bad: vec![0; w.mpdus + 1],
                    ends: [0; End::COUNT],
                    modes: vec![(0, 0); if on_air { Mode::COUNT } else { 0 }],
                    rx_modes: vec![(0, 0); if on_air { Mode::COUNT } else { 0 }],
                    runs: vec![0; 65],
                    window_rx: Span::ZERO,
                    step: Step::default(),
                    t: room(),
                    tx: room(),
                    rx: room(),
                    aggr: room(),
                    tx_bitrate: room(),
                    rx_bitrate: room(),
                    rx_bad_share: room(),
                })
                .collect(),
            queues: w
                .queues
                .into_iter()
                .map(|name| QueueOutcome {
                    name,
                    t: room(),
                    backlog_packets: room(),
                    backlog_bytes: room(),
                    dropped: room(),
                })
                .collect(),
            bitrates: (0..Mode::COUNT).map(|i| Mode::from_number(i).map_or(0, |m| m.rate().bps())).collect(),
            digest: 0xcbf2_9ce4_8422_2325,
            run: (NOBODY, 0),
        }
    }

    fn received(ends: Ends, socks: &[Sock], floods: &[Flood], now: Time) -> u64 {
        match ends {
            Ends::Tcp { client, server, sender } => {
                let receiver = if sender == client { server } else { client };
                socks[usize::from(receiver)].socket.info(now).bytes_received
            }
            Ends::Udp(i) => floods[usize::from(i)].received,
            Ends::Echo(_) => 0,
        }
    }

    /// The window of judgement.
    pub(super) fn judged(&self) -> (Time, Time) {
        self.window
    }
    /// The nodes.
    pub(super) fn parties(&self) -> Vec<Party> {
        self.nodes.iter().map(|n| Party { name: n.name.clone(), on_air: n.station.is_some() }).collect()
    }

    /// The window opens (first call) or closes (second).
    pub(super) fn window(&mut self, now: Time, socks: &[Sock], floods: &[Flood]) {
        self.in_window = !self.in_window;
        let into = if self.in_window { &mut self.at_start } else { &mut self.at_end };
        for (n, ends) in into.iter_mut().zip(&self.flow_ends) {
            *n = Self::received(*ends, socks, floods, now);
        }
    }

    /// Takes a sample of everything.
    pub(super) fn sample(&mut self, now: Time, socks: &[Sock], floods: &mut [Flood], fabric: &Fabric) {
        let t = now.as_s();
        for (s, ends) in self.series.iter_mut().zip(&self.flow_ends) {
            s.t.push(t);
            s.received.push(Self::received(*ends, socks, floods, now) as f64);
            let sender = match *ends {
                Ends::Tcp { sender, .. } => sender,
                Ends::Udp(i) => {
                    s.delay_ms.push(floods[usize::from(i)].delay_since());
                    continue;
                }
                Ends::Echo(_) => continue,
            };
            let socket = &socks[usize::from(sender)].socket;
            let i = socket.info(now);
            s.acked.push(i.bytes_acked as f64);
            // Before there is a round trip, there is no connection yet.
            s.retrans.push(if i.srtt > Span::ZERO { i.retransmits as f64 } else { f64::NAN });
            // What a connection left in its socket as it ended is no state of one.
            let alive = i.srtt > Span::ZERO && socket.state() != State::Closed;
            let known = |x: f64| if alive { x } else { f64::NAN };
            s.snd_cwnd.push(known(f64::from(i.snd_cwnd)));
            s.snd_ssthresh.push(known(i.snd_ssthresh.map_or(f64::NAN, f64::from)));
            s.srtt_ms.push(known(i.srtt.as_ms()));
            s.min_rtt_ms.push(known(i.min_rtt.as_ms()));
            s.unacked.push(known(f64::from(i.unacked)));
            s.pacing_bps.push(known(i.pacing_rate.map_or(f64::NAN, |r| r.bps() as f64)));
            s.delivery_bps.push(known(i.delivery_rate.bps() as f64));
            s.notsent.push(known(i.notsent as f64));
        }
        for n in self.nodes.iter_mut().filter(|n| n.station.is_some()) {
            let s = core::mem::take(&mut n.step);
            n.t.push(t);
            n.tx.push(s.airtime.ns() as f64 / 1e3);
            n.rx.push(s.rx_airtime.ns() as f64 / 1e3);
            n.aggr.push(share(s.mpdus, s.ppdus));
            n.tx_bitrate.push(share(s.bps, s.mpdus) / 1e6);
            n.rx_bitrate.push(share(s.rx_bps, s.rx_mpdus) / 1e6);
            n.rx_bad_share.push(share(s.rx_bad, s.rx_mpdus));
        }
        for (q, port) in self.queues.iter_mut().zip(&fabric.ports) {
            q.t.push(t);
            let d = port.qdisc.as_ref();
            q.backlog_packets.push(d.map_or(0.0, |d| f64::from(d.packets())));
            q.backlog_bytes.push(d.map_or(0.0, |d| d.bytes() as f64));
            q.dropped.push(d.map_or(0.0, |d| d.dropped() as f64));
        }
    }

    fn mix(&mut self, x: u64) {
        self.digest = (self.digest ^ x).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    /// All that was seen, and the tap.
    pub(super) fn outcome(self, w: Remains<'_>) -> (Outcome, T) {
        let now = w.fabric.q.now();
        let ob = self;
        let span = ob.window.1 - ob.window.0;
        let flows = (ob.flow_plans.into_iter().zip(ob.series).zip(&ob.flow_ends).enumerate())
            .map(|(i, ((plan, series), ends))| {
                let sender = match ends {
                    Ends::Tcp { sender, .. } => Some(&w.socks[usize::from(*sender)].socket),
                    _ => None,
                };
                // Until its handshake is through a passive side is no socket, but a request of the one that listens.
                let info = sender.filter(|s| s.state() != State::SynRecv).map(|s| s.info(now));
                FlowOutcome {
                    plan,
                    bytes_window: ob.at_end[i].saturating_sub(ob.at_start[i]),
                    retransmits: info.as_ref().map_or(0, |i| i.retransmits),
                    rtos: info.as_ref().map_or(0, |i| i.rtos),
                    delivered_ce: info.as_ref().map_or(0, |i| i.delivered_ce),
                    error: sender.and_then(Socket::error),
                    delivery: match ends {
                        Ends::Udp(i) => Some(w.floods[usize::from(*i)].delivery()),
                        _ => None,
                    },
                    series,
                }
            })
            .collect();
        let echoes = (ob.echo_names.into_iter().zip(w.echoes))
            .map(|((name, station), e)| EchoOutcome { name, station, t: e.sent, rtt_ms: e.rtt_ms })
            .collect();
        let nodes = (ob.nodes.into_iter().filter(|n| n.station.is_some()))
            .map(|n| NodeOutcome {
                name: n.name,
                ampdu_hist: n.window.hist,
                rx_hist: n.rx_hist,
                rx_bad: n.rx_bad,
                ends: n.ends,
                modes: used(&n.modes),
                rx_modes: used(&n.rx_modes),
                rate: n.station.and_then(|s| w.fabric.rate_counts(s)),
                runs: n.runs,
                airtime_rx_fraction: n.window_rx.as_s() / span.as_s(),
                unanswered: n.window.unanswered,
                airtime_fraction: n.window.airtime.as_s() / span.as_s(),
                acks: n.station.and_then(|s| w.fabric.acks(s)),
                t: n.t,
                airtime_tx_us: n.tx,
                airtime_rx_us: n.rx,
                avg_aggr_size: n.aggr,
                tx_bitrate_mbit: n.tx_bitrate,
                rx_bitrate_mbit: n.rx_bitrate,
                rx_bad_share: n.rx_bad_share,
            })
            .collect();
        let outcome = Outcome {
            simulated: w.simulated,
            events: w.events,
            window: ob.window,
            flows,
            echoes,
            nodes,
            queues: ob.queues,
            ledger: w.fabric.ledger(),
            held: w.fabric.held(),
            digest: ob.digest,
        };
        (outcome, ob.tap)
    }
}

/// Modes that were used, with their PPDUs and MPDUs.
fn used(modes: &[(u64, u64)]) -> Vec<(Mode, u64, u64)> {
    (modes.iter().enumerate())
        .filter(|(_, (ppdus, _))| *ppdus > 0)
        .filter_map(|(i, &(ppdus, mpdus))| Some((Mode::from_number(i)?, ppdus, mpdus)))
        .collect()
}

impl<T: Probe> Probe for Observer<T> {
    const AIR: bool = T::AIR;
    #[inline]
    fn aired(&mut self, a: &Aired<'_>) {
        self.tap.aired(a);
    }
    #[inline]
    fn beacon(&mut self, from: NodeId, b: &Beaconed) {
        self.tap.beacon(from, b);
    }

    fn bare(&mut self, x: &BareSeen) {
        self.tap.bare(x);
        let counts = self.window.0 <= x.start && x.start < self.window.1;
        let from = &mut self.nodes[usize::from(x.from.0)];
        from.step.airtime += x.airtime;
        if counts {
            from.window.airtime += x.airtime;
        }
        let to = &mut self.nodes[usize::from(x.to.0)];
        to.step.rx_airtime += x.airtime;
        if counts {
            to.window_rx += x.airtime;
        }
    }

    fn ppdu(&mut self, p: &PpduSeen) {
        self.tap.ppdu(p);
        self.mix(p.start.ns() ^ (u64::from(p.mpdus) << 48) ^ (u64::from(p.from.0) << 56));
        let bps = u64::from(p.mpdus) * self.bitrates[p.mode.number()];
        // It is told of when its turn is decided.
        let counts = self.window.0 <= p.start && p.start < self.window.1;
        let from = &mut self.nodes[usize::from(p.from.0)];
        from.step.ppdus += 1;
        from.step.mpdus += u64::from(p.mpdus);
        from.step.bps += bps;
        from.step.airtime += p.airtime;
        if counts {
            from.window.ppdu(usize::from(p.mpdus), p.answered, p.airtime);
            from.ends[usize::from(p.end)] += 1;
            let (ppdus, mpdus) = &mut from.modes[p.mode.number()];
            *ppdus += 1;
            *mpdus += u64::from(p.mpdus);
        }
        let to = &mut self.nodes[usize::from(p.to.0)];
        to.step.rx_mpdus += u64::from(p.mpdus);
        to.step.rx_bad += u64::from(p.bad);
        to.step.rx_bps += bps;
        to.step.rx_airtime += p.airtime;
        if counts {
            let most = to.rx_hist.len() - 1;
            to.rx_hist[usize::from(p.mpdus).min(most)] += 1;
            to.rx_bad[usize::from(p.bad).min(most)] += 1;
            let (ppdus, mpdus) = &mut to.rx_modes[p.mode.number()];
            *ppdus += 1;
            *mpdus += u64::from(p.mpdus);
            to.window_rx += p.airtime;
            if self.run.0 == p.from && !p.collided {
                self.run.1 += 1;
            } else {
                // The run that was under way when the window opened is not counted.
                if self.run.0 != NOBODY {
                    self.nodes[usize::from(self.run.0.0)].runs[self.run.1.min(64)] += 1;
                }
                self.run = (if p.collided { NOBODY } else { p.from }, 0);
            }
        }
    }

    fn delivered(&mut self, now: Time, at: NodeId, p: &Packet) {
        self.tap.delivered(now, at, p);
        self.mix(now.ns() ^ (u64::from(p.seq) << 24) ^ (u64::from(p.flow.0) << 56) ^ u64::from(at.0));
    }
}
