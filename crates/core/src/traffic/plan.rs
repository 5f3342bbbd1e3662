//! Which flows a run has, after Flent's tests `tcp_nup`, `tcp_ndown`, `rrul` and iperf's UDP.

use crate::scenario::Scenario;
use crate::scenario::each::Stations;
use crate::scenario::keys::{Topology, Traffic};
use crate::sim::{Rate, Span, Streams};
use crate::tcp::cc::Cc;

/// Which way the data go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the station (wired: from C).
    Up,
    /// To the station.
    Down,
}

/// What carries the data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Proto {
    /// A bulk TCP transfer.
    Tcp,
    /// A UDP flood at this rate of payload, in datagrams of so many bytes of it.
    Udp(Rate, u16),
}

/// One flow.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowPlan {
    /// The name in results ("up1", "down2 sta3", ...).
    pub name: String,
    /// Index of the station, from 0.
    pub station: usize,
    /// Which way.
    pub direction: Direction,
    /// TCP or UDP.
    pub proto: Proto,
    /// The mark of its packets.
    pub dscp: u8,
    /// Its congestion control, where that is not `tcp.cc`.
    pub cc: Option<Cc>,
    /// How much farther away its server is than others' (`traffic.tcp_delay`).
    pub far: Option<Span>,
    /// How long after the flows' start it begins.
    pub delay: Span,
}

/// One series of echoes.
#[derive(Clone, PartialEq, Debug)]
pub struct EchoPlan {
    /// The name in results.
    pub name: String,
    /// Index of the station, from 0.
    pub station: usize,
    /// The mark of its packets.
    pub dscp: u8,
    /// ICMP, which the other host's kernel answers; else UDP, which a program does.
    pub icmp: bool,
    /// How long after the run's start its first request leaves.
    pub delay: Span,
}

/// All traffic of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The flows.
    pub flows: Vec<FlowPlan>,
    /// The echoes.
    pub echoes: Vec<EchoPlan>,
}

/// DSCP of CS0, CS1, CS5, EF: Flent's rrul.conf marks flow 1 to 4 (BE, BK, CS5, EF).
const RRUL: [u8; 4] = [0, 8, 40, 46];
/// DSCP of Flent's RRUL UDP echoes: BE, BK, EF.
const RRUL_UDP: [(&str, u8); 3] = [("udp_be", 0), ("udp_bk", 8), ("udp_ef", 46)];

impl Plan {
    /// A scenario's plan, by its seed.
    pub fn of(s: &Scenario) -> Plan {
        let stations = match s.topology.kind {
            Topology::Wired => 1,
            Topology::Wifi => usize::from(s.wifi.stations),
        };
        Plan::new(&s.traffic, &s.stations, stations, &Streams::new(s.seed))
    }
    /// The plan for `stations` stations, of which some have flows of their own.
    pub fn new(t: &Traffic, own: &Stations, stations: usize, streams: &Streams) -> Plan {
        let mut plan = Plan::default();
        let mut jitter = streams.get("traffic", "start");
        let mut echo_jitter = streams.get("traffic", "echo");
        let mut echo = |name, station, dscp, icmp, plan: &mut Plan| {
            // the first begins the run; what is a process of its own cannot begin in the same nanosecond
            let unit = if plan.echoes.is_empty() { 0.0 } else { echo_jitter.unit() };
            let delay = Span::from_ns((unit * t.start_jitter.ns() as f64) as i64);
            plan.echoes.push(EchoPlan { name, station, dscp, icmp, delay });
        };
        for station in 0..stations {
            let suffix = if stations > 1 { format!(" sta{}", station + 1) } else { String::new() };
            let share = t.of(own, station);
            let mut add = |direction, proto, kind: &str, i: u16| {
                let delay =
                    Span::from_ns((jitter.unit() * t.start_jitter.ns() as f64) as i64) + t.start_step * i64::from(i);
                let dscp = match proto {
                    Proto::Tcp if t.rrul && t.marks => RRUL[usize::from(i) % 4],
                    Proto::Tcp => t.tcp_dscp.get(),
                    Proto::Udp(..) => own.udp_dscp.get(station).unwrap_or(t.udp_dscp).get(),
                };
                let cc = own.cc.get(station).or_else(|| t.cc.in_turn(usize::from(i))).filter(|_| proto == Proto::Tcp);
                let far = t.tcp_delay.in_turn(usize::from(i)).filter(|_| proto == Proto::Tcp);
                plan.flows.push(FlowPlan {
                    name: format!("{kind}{}{suffix}", i + 1),
                    station,
                    direction,
                    proto,
                    dscp,
                    cc,
                    far,
                    delay,
                });
            };
            (0..share.tcp_up).for_each(|i| add(Direction::Up, Proto::Tcp, "up", i));
            (0..share.tcp_down).for_each(|i| add(Direction::Down, Proto::Tcp, "down", i));
            let payload = own.udp_payload.get(station).unwrap_or(t.udp_payload);
            if let Some(rate) = share.udp_up {
                add(Direction::Up, Proto::Udp(rate, payload), "udp_up", 0);
            }
            if let Some(rate) = share.udp_down {
                add(Direction::Down, Proto::Udp(rate, payload), "udp_down", 0);
            }
            if t.ping.is_some() && station < usize::from(t.ping_stations) {
                let name = if t.ping_udp { "udp" } else { "icmp" };
                echo(format!("{name}{suffix}"), station, t.ping_dscp.get(), !t.ping_udp, &mut plan);
                let beside = if t.rrul && t.rrul_echoes { &RRUL_UDP[..] } else { &[] };
                for &(n, dscp) in beside {
                    echo(format!("{n}{suffix}"), station, if t.marks { dscp } else { 0 }, false, &mut plan);
                }
            }
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_for_those_who_ask_for_nothing_else() {
        use crate::sim::Auto::Set;
        let counts = |t: Traffic| (t.uploads(), t.downloads());
        assert_eq!(counts(Traffic::default()), (1, 0));
        assert_eq!(counts(Traffic { tcp_down: Set(2), ..Traffic::default() }), (0, 2));
        assert_eq!(counts(Traffic { tcp_down: Set(0), ..Traffic::default() }), (1, 0));
        assert_eq!(counts(Traffic { udp_down: Some(Rate::from_mbit(1)), ..Traffic::default() }), (0, 0));
        assert_eq!(counts(Traffic { tcp_up: Set(3), tcp_down: Set(2), ..Traffic::default() }), (3, 2));
        assert_eq!(counts(Traffic { rrul: true, tcp_up: Set(1), ..Traffic::default() }), (1, 4));
    }

    #[test]
    fn rrul_has_eight_flows_in_four_classes() {
        let t = Traffic { rrul: true, ..Traffic::default() };
        let p = Plan::new(&t, &Stations::default(), 1, &Streams::new(1));
        assert_eq!(p.flows.len(), 8);
        assert_eq!(p.flows.iter().filter(|f| f.dscp == 46).count(), 2);
        assert_eq!(
            p.echoes.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(),
            ["icmp", "udp_be", "udp_bk", "udp_ef"]
        );
        let few = Traffic { ping_stations: 2, rrul_echoes: false, ..t };
        let p = Plan::new(&few, &Stations::default(), 3, &Streams::new(1));
        assert_eq!(p.echoes.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["icmp sta1", "icmp sta2"]);
        assert_eq!(p.flows.len(), 24);
    }

    #[test]
    fn flows_take_their_controls_in_turn_and_stations_have_one_of_their_own() {
        use crate::sim::Auto::Set;
        use crate::sim::params::{Raw, Schema};
        let mut t =
            Traffic { tcp_up: Set(3), tcp_down: Set(1), udp_up: Some(Rate::from_mbit(1)), ..Traffic::default() };
        let mut own = Stations::default();
        let cc = |t: &Traffic, own: &Stations| -> Vec<Option<Cc>> {
            Plan::new(t, own, 2, &Streams::new(1)).flows.iter().map(|f| f.cc).collect()
        };
        assert_eq!(cc(&t, &own), [None; 10]);
        t.set("cc", &Raw::Text("cubic, bbr".into())).unwrap().unwrap();
        let each = [Some(Cc::Cubic), Some(Cc::Bbr), Some(Cc::Cubic), Some(Cc::Cubic), None];
        assert_eq!(cc(&t, &own), [each, each].concat());
        own.set("cc", &Raw::Text("reno".into())).unwrap().unwrap();
        let reno = [Some(Cc::Reno), Some(Cc::Reno), Some(Cc::Reno), Some(Cc::Reno), None];
        assert_eq!(cc(&t, &own), [reno, each].concat());
    }

    #[test]
    fn stations_have_flows_of_their_own() {
        use crate::sim::Auto::Set;
        use crate::sim::params::{Raw, Schema};
        let mut own = Stations::default();
        let mut t = Traffic { tcp_up: Set(0), tcp_down: Set(1), ..Traffic::default() };
        t.set("udp_dscp", &Raw::Text("EF".into())).unwrap().unwrap();
        for (key, list) in [("tcp_up", "2, 0"), ("tcp_down", "0"), ("udp_down", "off, 100 kbit/s")] {
            own.set(key, &Raw::Text(list.into())).unwrap().unwrap();
        }
        let p = Plan::new(&t, &own, 3, &Streams::new(1));
        let flows: Vec<_> = p.flows.iter().map(|f| (f.name.as_str(), f.dscp)).collect();
        assert_eq!(
            flows,
            [("up1 sta1", 0), ("up2 sta1", 0), ("down1 sta2", 0), ("udp_down1 sta2", 46), ("down1 sta3", 0)]
        );
    }
}
