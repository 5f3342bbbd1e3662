//! Builds a world from a scenario: nodes, routes, ports, the BSS, sockets, generators, and the first events.

use super::accounts::Accounts;
use super::air;
use super::bss::{Bss, BssEvent, StaIx};
use super::ends::{Ends, Sock};
use super::event::{Event, Events};
use super::fabric::Fabric;
use super::far::Far;
use super::observe::{Observer, Watch};
use super::outcome::Outcome;
use super::owned::Owned;
use super::port::{Link, Port};
use super::programs::Programs;
use super::routes::{Route, Routes};
use super::world::{Timetable, World};
use crate::driver::Name;
use crate::driver::ethernet::Ethernet;
use crate::host::{Host, Napi};
use crate::qdisc::{self, Qdisc, netem};
use crate::scenario::Scenario;
use crate::scenario::keys::{Kernel, Shaper, Topology, Where, WireEnds};
use crate::sim::{Blind, FlowId, Lane, NodeId, Owner, Probe, Span, Streams, Time};
use crate::tcp::cc::{Tunables, bbr_plus};
use crate::tcp::{Config, Linearised, Params, Profile, Socket, datagram, head_room};
use crate::traffic::{Answers, Direction, Echo, Flood, FlowPlan, IcmpSocket, Plan, Proto};
use crate::wifi::{MediumEvent, hack};

/// `[tcp]` and the controls' sections at one end of a connection. mac80211 rewrites the pacing shift of every socket
/// whose packets leave by its devices. src: linux@6.12 net/mac80211/tx.c __ieee80211_subif_start_xmit (sk_pacing_shift_update)
fn tcp_at(s: &Scenario, on_air: bool, flow: &FlowPlan, server: bool) -> (Params, Tunables) {
    let (mut p, mut cc) = (s.tcp, s.tunables);
    p.cc = flow.cc.unwrap_or(p.cc);
    p.ssthresh = s.stations.ssthresh.get(flow.station).or(p.ssthresh);
    p.stretch_acks = s.stations.stretch_acks.get(flow.station).unwrap_or(p.stretch_acks);
    if server && !p.pacing_at_server {
        let own = Params::default();
        (p.pacing_ss_ratio, p.pacing_ca_ratio) = (own.pacing_ss_ratio, own.pacing_ca_ratio);
        cc.bbr_plus.pace = bbr_plus::Params::default().pace;
    }
    if on_air {
        p.pacing_shift = s.wifi.tx_sk_pacing_shift.or(mac80211_shift(s.kernel)).unwrap_or(p.pacing_shift);
    }
    (p, cc)
}

/// `ieee80211_hw::tx_sk_pacing_shift`: none before 4.17, 8 then (4 ms), 7 from 5.1 (8 ms).
/// src: linux@6.12 net/mac80211/main.c ieee80211_alloc_hw_nm
fn mac80211_shift(k: Kernel) -> Option<u8> {
    match k.series() {
        (..=3, _) | (4, ..=16) => None,
        (4, _) | (5, 0) => Some(8),
        _ => Some(7),
    }
}

/// The bare network: nodes and what joins them.
struct Net {
    names: Vec<String>,
    hosts: Vec<Host>,
    ports: Vec<Port>,
    port_names: Vec<String>,
    /// Whose device each port is, and its name, as in the second water.
    devices: Vec<(NodeId, &'static str)>,
    routes: Vec<Vec<Route>>,
    bss: Option<Box<Bss>>,
    /// Node of each station of the BSS, AP first; empty where there is none.
    on_air: Vec<NodeId>,
    /// The clients, in the order of the plan's stations.
    clients: Vec<NodeId>,
    /// The far end of every flow.
    server: NodeId,
    /// Nodes whose own device has an `fq`: it enforces their sockets' pacing.
    fq_at: Vec<NodeId>,
}

/// What validation of the keys alone cannot see, without building anything: whether the network can be.
///
/// Errors: a sentence.
pub fn check(s: &Scenario) -> Result<(), String> {
    if s.topology.kind == Topology::Wifi { air::config(s).map(drop) } else { Ok(()) }
}

/// Whether it asks for nothing that the real kernel alone has.
///
/// Errors: a sentence.
pub fn modelled(s: &Scenario) -> Result<(), String> {
    s.linux.first().map_or(Ok(()), |(key, said)| {
        Err(format!(
            "linux.{key} = {said}: is the real kernel's, and the model has none of it: run it on linux, or leave it out"
        ))
    })
}

impl World {
    /// A world at time zero.
    ///
    /// Errors: a sentence, where the stages refuse what validation could not see.
    pub fn new(s: &Scenario) -> Result<World, String> {
        World::tapped(s, Blind)
    }
    /// Runs a scenario to its end. Panics if a packet is neither delivered nor dropped nor anywhere.
    ///
    /// Errors: as [`World::new`].
    // Not generic, so that the world without a tap is compiled once, here, and not again by every test that runs one.
    pub fn simulate(s: &Scenario) -> Result<Outcome, String> {
        let mut world = World::new(s)?;
        world.run_until(Time::NEVER);
        assert_eq!(world.unaccounted(), 0, "packets are missing");
        Ok(world.finish())
    }
}

impl<T: Probe> World<T> {
    /// A world at time zero whose events `tap` is told of. Errors as [`World::new`].
    pub fn tapped(s: &Scenario, tap: T) -> Result<World<T>, String> {
        modelled(s)?;
        let streams = Streams::new(s.seed);
        let mut net = match s.topology.kind {
            Topology::Wired => wired(s, &streams),
            Topology::Wifi => wifi(s, &streams)?,
        };
        let plan = Plan::of(s);
        let profile = Profile::named(s.kernel.name()).expect("every kernel of the schema has a profile");

        let start = Time::ZERO + s.time.lead_in;
        let flows_end = start + s.time.flows;
        let end = flows_end + s.time.tail;
        let window = (start + s.time.warmup, flows_end - s.time.cooldown);
        let mut q = Events::default();
        let mut socks = Vec::new();
        let mut floods = Vec::new();
        let mut echoes = Vec::new();
        let mut flows = Vec::new();
        let n_socks = 2 * plan.flows.iter().filter(|f| f.proto == Proto::Tcp).count();
        let n_owners = n_socks + (plan.flows.len() - n_socks / 2) + net.hosts.len();
        if n_owners > Owner::MOST {
            let flows = plan.flows.len();
            let most = "some 16000 fit, two sockets each (wifi.stations, traffic.tcp_up, traffic.tcp_down)";
            return Err(format!("traffic: {flows} flows of all stations; {most}"));
        }

        for (i, f) in plan.flows.iter().enumerate() {
            let flow = FlowId(i as u16);
            let (client, server) = (net.clients[f.station], net.server);
            let (from, to) = if f.direction == Direction::Up { (client, server) } else { (server, client) };
            match f.proto {
                Proto::Tcp => {
                    let first = socks.len() as u16;
                    let mut numbers = streams.get(&f.name, "tcp/isn");
                    for (k, (local, remote)) in [(client, server), (server, client)].into_iter().enumerate() {
                        let (params, cc) = tcp_at(s, net.on_air.contains(&local), f, k == 1);
                        let cfg = Config {
                            flow,
                            local,
                            remote,
                            owner: Owner(first + k as u16),
                            params,
                            cc,
                            profile,
                            hz: s.host.hz,
                            dscp: if local == from || s.traffic.mark_acks { f.dscp } else { 0 },
                            mtu: 1500,
                            // Ethernet gathers and takes super-packets; no Wi-Fi device here does.
                            tso: !net.on_air.contains(&local),
                            start_seq: numbers.bits() as u32,
                        };
                        let mut socket = if k == 0 { Socket::client(&cfg) } else { Socket::server(&cfg) };
                        socket.host_tells();
                        socket.on_fq(net.fq_at.contains(&local));
                        if net.hosts[usize::from(local.0)].in_no_time() {
                            socket.schedules_programs();
                        }
                        if let Some(bss) = net.bss.as_mut().filter(|_| local == client) {
                            bss.flow(hack::Flow::new(flow, (local, remote), k == 0, socket.scale_to_come()));
                        }
                        socks.push(Sock {
                            socket,
                            node: local,
                            wake: Time::NEVER,
                            reads: false,
                            writes: false,
                            owned: Owned::default(),
                        });
                    }
                    let sender = first + u16::from(f.direction == Direction::Down);
                    flows.push(Ends::Tcp { client: first, server: first + 1, sender });
                }
                Proto::Udp(rate, bytes) => {
                    let owner = Owner((n_socks + floods.len()) as u16);
                    flows.push(Ends::Udp(floods.len() as u16));
                    let t = &s.traffic;
                    let on_air = net.on_air.contains(&from);
                    let truesize = datagram(profile, s.tcp.max_header, u32::from(bytes), on_air);
                    let flood = Flood::new(flow, (from, to), owner, t.udp_sndbuf, (bytes, truesize), rate);
                    floods.push(flood.marked(f.dscp).judged(window));
                }
            }
            q.push(start + f.delay, Lane::App, Event::FlowStart(i as u16));
        }
        for e in &plan.echoes {
            let step = s.traffic.ping.expect("echoes are planned where there is a step");
            let flow = FlowId(flows.len() as u16);
            let n = ((end - Time::ZERO) / step) as usize + 2;
            flows.push(Ends::Echo(echoes.len() as u16));
            let (from, to) = (net.clients[e.station], net.server);
            let payload = s.traffic.ping_payload;
            let weight = |at| datagram(profile, s.tcp.max_header, u32::from(payload), net.on_air.contains(&at));
            let answers = if e.icmp { Answers::Kernel(weight(to)) } else { Answers::Program(weight(to)) };
            let echo = Echo::new(flow, (from, to), e.dscp, (payload, weight(from), answers), step, n);
            q.push(Time::ZERO + e.delay, Lane::App, Event::Echo(echoes.len() as u16));
            echoes.push(echo);
        }

        let icmp = (0..net.hosts.len()).map(|i| IcmpSocket::new(Owner((n_socks + floods.len() + i) as u16))).collect();

        q.push(window.0, Lane::Sample, Event::Window);
        q.push(window.1, Lane::Sample, Event::Window);
        q.push(flows_end, Lane::Sample, Event::FlowsEnd);
        // Samples fall on the flows' start, as a poller started with them would have it.
        q.push(Time::from_ns(start.ns() % s.time.sample.ns() as u64), Lane::Sample, Event::Sample);

        let far = Far::new(net.server, plan.flows.iter().map(|f| f.far));
        let observer = Observer::new(
            Watch {
                window,
                samples: ((end - Time::ZERO) / s.time.sample) as usize + 2,
                flows: plan.flows.into_iter().zip(flows.iter().copied()).collect(),
                echoes: plan.echoes.into_iter().map(|e| (e.name, e.station)).collect(),
                nodes: net
                    .names
                    .iter()
                    .enumerate()
                    .map(|(i, n)| (n.clone(), net.on_air.contains(&NodeId(i as u16))))
                    .collect(),
                queues: net.port_names,
                mpdus: net.bss.as_ref().map_or(64, |b| b.window().into()),
            },
            tap,
        );
        if let Some(at) = net.bss.as_ref().and_then(|b| b.first_beacon()) {
            q.push(at, Lane::Timer, Event::Bss(BssEvent::Medium(MediumEvent::Tbtt)));
        }
        let fabric = Fabric {
            q,
            hosts: net.hosts,
            ports: net.ports,
            devices: net.devices,
            bss: net.bss,
            out: Default::default(),
            routes: Routes::new(&net.routes),
            stations: net.on_air,
            accounts: Accounts { room: head_room(profile, s.tcp.max_header), ..Accounts::default() },
            far,
            tao: s.tao.enabled,
            rx_memory: s.tcp.rx_truesize.get() as u32,
            linearised: s.backhaul.veth.then_some(Linearised { profile, max_header: s.tcp.max_header }),
        };
        let plan = Timetable { flows_end, end, sample: s.time.sample };
        let (softirq_first, wake, charges) = (s.host.softirq_first, s.host.wake, Vec::new());
        let encryption = s.wifi.encryption;
        let (events, programs) = (0, vec![Programs::default(); fabric.hosts.len()]);
        Ok(World {
            fabric,
            socks,
            floods,
            echoes,
            icmp,
            flows,
            observer,
            plan,
            events,
            charges,
            softirq_first,
            wake,
            programs,
            encryption,
        })
    }
}

/// C - R - S over veth pairs, shaped by HTB or CAKE, delayed by netem on the way back.
fn wired(s: &Scenario, streams: &Streams) -> Net {
    let (c, r, srv) = (NodeId(0), NodeId(1), NodeId(2));
    let mut seeds = streams.get("qdisc", "hash");
    let setup = s.qdiscs();
    let cake = s.bottleneck.qdisc == Shaper::Cake;
    let mut shaper = |bottleneck: bool| {
        let mut setup = setup;
        if bottleneck && cake {
            return Some(Qdisc::new(qdisc::Kind::Cake, &setup, seeds.bits() as u32));
        }
        if !bottleneck {
            // Its depths are no bottleneck's; `tc` is one.
            let (rate, whole_us) = (s.bottleneck.access_rate, setup.htb.whole_us);
            setup.htb = qdisc::htb::Params { rate, whole_us, ..Default::default() };
            setup.pfifo = Default::default();
        }
        Some(Qdisc::new(qdisc::Kind::Htb, &setup, seeds.bits() as u32))
    };
    let local = s.bottleneck.place == Where::Local;
    let (cr, rs) = (shaper(local), shaper(!local));
    let sr = s.netem.alters().then(|| Qdisc::new(qdisc::Kind::Netem, &setup, seeds.bits() as u32));
    let name = |here: bool, other: &str| if here { "bottleneck".to_string() } else { other.to_string() };
    Net {
        names: ["C", "R", "S"].map(String::from).to_vec(),
        hosts: (0..3).map(|_| Host::new(Span::ZERO)).collect(),
        ports: vec![
            Port::new(r, cr, Link::Veth, setup.old),
            Port::new(srv, rs, Link::Veth, setup.old),
            Port::new(c, None, Link::Veth, setup.old),
            Port::new(r, sr, Link::Veth, setup.old),
        ],
        port_names: vec![name(local, "C"), name(!local, "R"), "R back".into(), "S".into()],
        devices: vec![(c, "cr"), (r, "rs"), (r, "rc"), (srv, "sr")],
        routes: vec![
            vec![Route::None, Route::Port(0), Route::Port(0)],
            vec![Route::Port(2), Route::None, Route::Port(1)],
            vec![Route::Port(3), Route::Port(3), Route::None],
        ],
        bss: None,
        on_air: Vec::new(),
        clients: vec![c],
        server: srv,
        fq_at: if local && !cake && setup.paces(qdisc::Kind::Htb) { vec![c] } else { Vec::new() },
    }
}

/// Stations - AP - server; or stations - AP alone.
fn wifi(s: &Scenario, streams: &Streams) -> Result<Net, String> {
    let n = usize::from(s.wifi.stations);
    let ap = NodeId(0);
    let stations: Vec<NodeId> = (0..n).map(|i| NodeId(1 + i as u16)).collect();
    let mut names = vec!["ap".to_string()];
    names.extend((0..n).map(|i| format!("sta{}", i + 1)));
    let mut hosts = vec![Host::new(s.host.ap_rx)];
    hosts.extend((0..n).map(|i| Host::new(s.stations.rx.get(i).unwrap_or(s.host.sta_rx))));

    let air = |node: usize| Route::Air(StaIx(node as u8), StaIx::AP);
    let mut routes: Vec<Vec<Route>> = vec![vec![Route::None; n + 2]; n + 2];
    for (i, row) in routes.iter_mut().enumerate().take(n + 1).skip(1) {
        *row = vec![air(i); n + 2];
        row[i] = Route::None;
    }
    for (i, to) in routes[0].iter_mut().enumerate().take(n + 1).skip(1) {
        *to = Route::Air(StaIx::AP, StaIx(i as u8));
    }
    let mut ports = Vec::new();
    let mut port_names = Vec::new();
    let mut devices = Vec::new();
    let mut server = ap;
    if s.backhaul.present {
        server = NodeId(n as u16 + 1);
        names.push("server".into());
        let veth = s.backhaul.veth;
        let server_host = Host::new(s.host.server_rx);
        if veth {
            hosts.push(server_host);
        } else {
            hosts[0] = Host::new(s.host.ap_rx).with_nic(&s.nic, 1);
            hosts.push(server_host.behind(0).with_nic(&s.nic, 0));
        }
        let mut seeds = streams.get("qdisc", "hash");
        let mut setup = s.qdiscs();
        let mut kind = s.backhaul.qdisc;
        if veth && s.backhaul.delay > Span::ZERO {
            let adds = kind == qdisc::Kind::Netem && s.backhaul.at == WireEnds::Both;
            if kind != qdisc::Kind::PfifoFast && !adds {
                let has = kind.name();
                return Err(format!(
                    "backhaul.delay: on a veth pair netem makes it, and the device has room for one discipline ({has})"
                ));
            }
            if !adds {
                setup.netem = netem::Params { limit: s.netem.limit, ..Default::default() };
            }
            setup.netem.delay += s.backhaul.delay;
            kind = qdisc::Kind::Netem;
        }
        let absent = match s.backhaul.at {
            WireEnds::Both => None,
            WireEnds::Ap => Some(server),
            WireEnds::Server => Some(ap),
        };
        for (i, peer) in [server, ap].into_iter().enumerate() {
            let link = if veth {
                Link::Veth
            } else {
                Link::Ethernet {
                    device: Box::new(Ethernet::new(&s.ethernet, &s.bql)),
                    delay: s.backhaul.delay,
                    memory: s.tcp.rx_truesize.get() as u32,
                }
            };
            let sender = if peer == server { ap } else { server };
            let has = if absent == Some(sender) { qdisc::Kind::PfifoFast } else { kind };
            let q = Qdisc::new(has, &setup, seeds.bits() as u32);
            ports.push(Port::new(peer, Some(q), link, setup.old));
            port_names.push(["ap eth", "server eth"][i].to_string());
            devices.push((sender, ["apw", "sw"][i]));
        }
        routes[0][usize::from(server.0)] = Route::Port(0);
        routes[usize::from(server.0)] = vec![Route::Port(1); n + 2];
    }
    let mut on_air = vec![ap];
    on_air.extend(&stations);
    let cfg = air::config(s)?;
    // ath10k polls from 4.9 on ("ath10k: implement NAPI support"), mt76 ever since; iwlwifi's poll was none before 5.12, but flushed GRO's list as one.
    // src: linux@5.4 iwlwifi/pcie/rx.c iwl_pcie_rx_handle (napi_gro_flush)
    let ath10k = s.ath10k.gro && s.kernel.series() >= (4, 9);
    for (host, c) in hosts.iter_mut().zip(&cfg.stations) {
        host.set_radio_ring(s.host.backlog.or(c.driver.name().rx_ring()));
        let gro = match c.driver.name() {
            Name::Ath10k => ath10k,
            Name::Mt76 => s.mt76.gro,
            Name::Iwlwifi => s.iwlwifi.gro,
            Name::Ath9k | Name::Ath9kTidq | Name::Ath9kHtc | Name::Linksys | Name::Sora => false,
        };
        if gro {
            host.napi = Some(Box::new(Napi::new(s.host.hz)));
        }
    }
    let setup = s.qdiscs();
    let paces = |c: &&super::bss::StaConfig| c.driver.discipline().is_some_and(|kind| setup.paces(kind));
    let mut fq_at: Vec<NodeId> = cfg.stations.iter().filter(paces).map(|c| c.node).collect();
    if s.backhaul.present && setup.paces(s.backhaul.qdisc) && s.backhaul.at != WireEnds::Ap {
        fq_at.push(server);
    }
    let bss = Bss::new(&cfg, streams);
    let bss = Some(Box::new(bss));
    Ok(Net { names, hosts, ports, port_names, devices, routes, bss, on_air, clients: stations, server, fq_at })
}
