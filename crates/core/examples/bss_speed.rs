//! How fast the BSS alone is: `cargo run --release --example bss_speed`.

use wavetank_core::driver::ath9k;
use wavetank_core::mac80211;
use wavetank_core::net::bss::{Bss, BssConfig, BssEvent, DriverConfig, Out, StaConfig, StaIx};
use wavetank_core::phy::{Band, Ht, McsLoss, Mode};
use wavetank_core::rate;
use wavetank_core::sim::{Blind, EventQueue, FlowId, Kind, NodeId, Owner, Packet, Streams, Time};
use wavetank_core::wifi::edca::Set;
use wavetank_core::wifi::{medium, reorder};

fn sta(name: String, node: u16, mode: Mode, error: f64) -> StaConfig {
    StaConfig {
        name,
        node: NodeId(node),
        mode,
        mode_up: mode,
        driver: DriverConfig::Ath9k(ath9k::Params::default()),
        aggregates: true,
        rate: rate::Setup::default(),
        queues: mac80211::Params::default(),
        kernel: Default::default(),
        tao: None,
        error_up: error,
        error_down: error,
        error_run: None,
        weight: None,
        snr: None,
    }
}

struct Flow {
    from: StaIx,
    to: StaIx,
    payload: u32,
    next: u32,
}

struct World {
    bss: Bss,
    q: EventQueue<BssEvent>,
    out: Out,
    flows: Vec<Flow>,
    up: u64,
    todo: Vec<u16>,
}

impl World {
    fn send(&mut self, i: u16) {
        let f = &mut self.flows[usize::from(i)];
        let mut p = Packet::blank(Kind::Udp, FlowId(i), NodeId(f.from.0.into()), NodeId(f.to.0.into()));
        (p.payload, p.headers, p.truesize, p.owner, p.seq) = (f.payload, 28, 2304, Owner(i), f.next);
        f.next += 1;
        self.bss.xmit(self.q.now(), f.from, f.to, &p, &mut self.out);
        for (at, lane, ev) in self.out.schedule.drain(..) {
            self.q.push(at, lane, ev);
        }
    }
    fn run(&mut self, until: Time) {
        while let Some((now, ev)) = self.q.pop_until(until) {
            self.bss.on(now, ev, &mut self.out, &mut Blind);
            for (at, lane, ev) in self.out.schedule.drain(..) {
                self.q.push(at, lane, ev);
            }
            self.up += self.out.up.len() as u64;
            self.out.up.clear();
            self.todo.extend(self.out.freed.drain(..).map(|f| f.owner.0));
            self.todo.extend(self.out.dropped.drain(..).map(|d| d.0.owner.0).filter(|&o| o != u16::MAX));
            for k in 0..self.todo.len() {
                self.send(self.todo[k]);
            }
            self.todo.clear();
        }
    }
}

fn measure(name: &str, stations: u16, error: f64, flows: &[(u8, u8, u32, u32)], secs: u64) {
    let mode = Mode::Ht(Ht::new(15, true, true).unwrap());
    let mut all = vec![sta("ap".into(), 0, mode, error)];
    all.extend((1..=stations).map(|i| sta(format!("sta{i}"), i, mode, error)));
    let cfg = BssConfig {
        mcs_loss: McsLoss::default(),
        channel: Default::default(),
        band: Band::Ghz5,
        basic: vec![],
        erp: Default::default(),
        medium: medium::Params::default(),
        beacon: Default::default(),
        reorder: reorder::Params::default(),
        encryption: wavetank_core::wifi::Encryption::None,
        hack: Default::default(),
        qos: true,
        rfc8325: true,
        head_room: 320,
        edca: [Set::AccessPoint.all(), Set::Station.all()],
        stations: all,
    };
    let mut w = World {
        bss: Bss::new(&cfg, &Streams::new(1)),
        q: EventQueue::default(),
        out: Out::default(),
        flows: vec![],
        up: 0,
        todo: vec![],
    };
    for &(from, to, payload, keep) in flows {
        w.flows.push(Flow { from: StaIx(from), to: StaIx(to), payload, next: 0 });
        for _ in 0..keep {
            w.send(w.flows.len() as u16 - 1);
        }
    }
    w.run(Time::from_s(1));
    let (start, up, events) = (std::time::Instant::now(), w.up, w.q.scheduled());
    w.run(Time::from_s(1 + secs));
    let wall = start.elapsed().as_secs_f64();
    let (n, e) = (w.up - up, w.q.scheduled() - events);
    println!(
        "{name:<24} {:8.0} packets/s simulated, {:6.1} ns a packet, {:6.1} ns an event, {:.2} M packets a wall second",
        n as f64 / secs as f64,
        wall * 1e9 / n as f64,
        wall * 1e9 / e as f64,
        n as f64 / wall / 1e6,
    );
}

fn main() {
    let up: Vec<_> = vec![(1, 0, 1448, 70)];
    let acks = vec![(1, 0, 1448, 70), (0, 1, 24, 30)];
    let down: Vec<_> = (1..=14).map(|i| (0, i, 1448, 70)).collect();
    let both: Vec<_> = (1..=14).flat_map(|i| [(0, i, 1448, 70), (i, 0, 24, 20)]).collect();
    measure("upload", 1, 0.0, &up, 100);
    measure("upload, ACKs back", 1, 0.0, &acks, 100);
    measure("upload, 5 % loss", 1, 0.05, &up, 100);
    measure("down to 14", 14, 0.0, &down, 50);
    measure("down to 14, ACKs back", 14, 0.0, &both, 50);
}
