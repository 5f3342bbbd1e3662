//! Carries a script out: owns the clock, the sockets and the devices below them.

mod answers;
mod asked;
mod assertions;
mod blocking;
mod calls;
mod connection;
mod files;
mod messages;
mod notices;
mod opening;
mod options;
mod packets;
mod ready;
mod routers;

use crate::link::Link;
use crate::report::{Failure, Report, Skipped, Verdict};
use crate::script::{Direction, Event, Script, What, When};
use crate::setup::Setup;
use crate::wire::Wire;
use answers::Fd;
use blocking::Blocked;
use connection::Conn;
use files::Files;
use ready::Watch;
use std::collections::BTreeMap;
use wavetank_core::sim::{Blind, Owner, Packet, Span, Time};
use wavetank_core::tcp::{Blackhole, Cache, Params, Profile, State, gso_segment};

/// A script begins so late, so that no clock shows its start; the timer wheel's grains, of up to 4096 ms here, begin with it.
const BEGIN: Time = Time::from_ms(16_384);
/// An injected packet takes a moment: nothing happens at exactly the script's time, as on a real host.
const TAKES: Span = Span::from_us(1);
/// How long a call may block, and a packet be waited for to complete one that the script expects in one piece.
const PATIENCE: Span = Span::from_s(2);

/// How scripts are run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The kernel.
    pub profile: &'static Profile,
    /// `CONFIG_HZ`.
    pub hz: u32,
    /// `MAX_HEADER`, by which an skb's memory goes, bytes.
    pub max_header: u32,
    /// `--tolerance_usecs`; a script's own counts before this.
    pub tolerance_us: i64,
    /// `--tolerance_percent` of the time since the event before, where that is more.
    pub tolerance_percent: f64,
    /// Initial sequence numbers, the socket's and the peer's.
    pub isn: (u32, u32),
}

impl Default for Options {
    /// Linux 6.12 at 1000 Hz, with packetdrill's tolerances.
    fn default() -> Options {
        Options {
            profile: Profile::named("6.12").expect("it is the newest"),
            hz: 1_000,
            max_header: Params::default().max_header,
            tolerance_us: 4_000,
            tolerance_percent: 12.5,
            isn: (1_000_000, 5_000_000),
        }
    }
}

/// Why a script ends early.
enum Stop {
    /// Something does not hold: what, expected, actual.
    Fail(String, String, String),
    /// It needs what there is not.
    Skip(String),
}

type Step = Result<(), Stop>;

struct Run<'a> {
    opt: Options,
    setup: Setup,
    mtu: u32,
    ts_tick_us: i64,
    /// `--strict_segments`: a packet is one packet, and PSH, FIN and CWR count.
    strict: bool,
    now: Time,
    /// The connection in hand, and its number.
    c: Conn,
    hand: usize,
    /// The others.
    others: BTreeMap<usize, Conn>,
    /// The one that packets are for.
    under_test: Option<usize>,
    /// What a connection's numbers begin with.
    wire: Wire,
    /// Descriptors: what each is, and whether it blocks; whose it is.
    fds: BTreeMap<i64, (Fd, bool)>,
    of: BTreeMap<i64, usize>,
    blocked: Option<Blocked>,
    epolls: BTreeMap<i64, Vec<Watch>>,
    files: Files,
    /// What this host knows of the peer as a Fast Open server.
    cache: Cache,
    blackhole: Blackhole,
    /// `TcpExtOutOfWindowIcmps` since somebody asked.
    stray_icmps: u32,
    /// Addresses of both ends.
    local_ip: [u8; 4],
    remote_ip: [u8; 4],
    names: BTreeMap<String, f64>,
    report: &'a mut Report,
}

/// Reads a script and runs it. The error says what has no shape.
pub fn run(text: &str, opt: &Options) -> Result<Report, String> {
    crate::parse(text).map(|s| run_script(&s, opt))
}

/// Runs a script.
pub fn run_script(script: &Script, opt: &Options) -> Report {
    let mut report = Report {
        verdict: Verdict::Pass,
        held: 0,
        checked: 0,
        skipped: Vec::new(),
        failure: None,
        trace: Vec::new(),
        printed: Vec::new(),
    };
    let mut run = Run {
        opt: *opt,
        setup: Setup::new(),
        mtu: 1_500,
        ts_tick_us: 0,
        strict: false,
        now: BEGIN,
        c: Conn::new(crate::link::Qdisc::None, &Wire::new(opt.isn.0, opt.isn.1)),
        hand: 0,
        others: BTreeMap::new(),
        under_test: None,
        wire: Wire::new(opt.isn.0, opt.isn.1),
        fds: BTreeMap::new(),
        of: BTreeMap::new(),
        blocked: None,
        epolls: BTreeMap::new(),
        files: Files::default(),
        cache: Cache::default(),
        blackhole: Blackhole::default(),
        stray_icmps: 0,
        local_ip: [192, 168, 0, 1],
        remote_ip: [192, 0, 2, 1],
        names: BTreeMap::new(),
        report: &mut report,
    };
    let line = script.setup.as_ref().map_or(1, |s| s.line);
    let mut stopped = run.prepare(script).err().map(|s| (line, s, 0));
    if stopped.is_none() {
        for (i, e) in script.events.iter().enumerate() {
            if let Err(s) = run.event(e) {
                stopped = Some((e.line, s, i + 1));
                break;
            }
            run.report.held += 1;
        }
    }
    match stopped {
        Some((line, Stop::Fail(what, expected, actual), _)) => {
            report.verdict = Verdict::Fail;
            report.failure = Some(Failure { line, what, expected, actual });
        }
        Some((line, Stop::Skip(what), next)) => {
            report.skipped.push(Skipped { line, what });
            let after = &script.events[next.min(script.events.len())..];
            report
                .skipped
                .extend(after.iter().map(|e| Skipped { line: e.line, what: "comes after what was skipped".into() }));
        }
        None => {}
    }
    if report.failure.is_none() && !report.skipped.is_empty() {
        report.verdict = Verdict::Skip;
    }
    report
}

fn skip<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Skip(what.into()))
}

impl Run<'_> {
    fn prepare(&mut self, script: &Script) -> Step {
        for o in &script.options {
            let (key, value) = o.split_once('=').unwrap_or((o, ""));
            let number = value.parse::<i64>();
            match (key, number) {
                ("--tolerance_usecs", Ok(n)) => self.opt.tolerance_us = n,
                ("--tolerance_percent", _) => match value.parse::<f64>() {
                    Ok(p) if (0.0..=100.0).contains(&p) => self.opt.tolerance_percent = p,
                    _ => return skip(format!("the option {o}")),
                },
                ("--strict_segments", _) => self.strict = true,
                ("--mss", Ok(n)) if (1..=65_535).contains(&n) => self.wire.super_mss = Some(n as u32),
                ("--mtu", Ok(n)) if (88..=65_535).contains(&n) => self.mtu = n as u32,
                ("--tcp_ts_tick_usecs", Ok(n)) => self.ts_tick_us = n,
                ("--tcp_ts_ecr_scaled", _) => self.wire.scaled_echo = true,
                ("--ip_version", _) if value == "ipv4" => {}
                ("--local_ip" | "--remote_ip", _) => {
                    let Ok(ip) = value.parse::<std::net::Ipv4Addr>() else { return skip(format!("the option {o}")) };
                    *(if key == "--local_ip" { &mut self.local_ip } else { &mut self.remote_ip }) = ip.octets();
                }
                ("--gateway_ip" | "--netmask_ip" | "--bind_port" | "--verbose", _) => {}
                _ => return skip(format!("the option {o}")),
            }
        }
        // Only IPv6 has it.
        if script.events.iter().any(|e| matches!(&e.what, What::Unknown(t) if t.contains("icmp packet_too_big"))) {
            return skip("IPv6");
        }
        if let Some(s) = &script.setup {
            self.setup.shell(&s.text).map_err(Stop::Skip)?;
        }
        self.fast_sysctls();
        self.c = Conn::new(self.setup.qdisc, &self.wire);
        Ok(())
    }

    fn event(&mut self, e: &Event) -> Step {
        let us = Span::from_us;
        let (from, to) = match e.when {
            When::At(t) => (BEGIN + us(t), BEGIN + us(t)),
            When::Within(a, b) => (BEGIN + us(a), BEGIN + us(b)),
            When::After(d) => (self.now + us(d), self.now + us(d)),
            When::AfterWithin(a, b) => (self.now + us(a), self.now + us(b)),
            When::Any => (self.now, Time::NEVER),
        };
        if from < self.now && matches!(e.when, When::At(_) | When::Within(..)) {
            let tolerance = us(self.opt.tolerance_us);
            if from + tolerance < self.now {
                return Err(Stop::Fail(
                    "the script is behind its own time".into(),
                    self.clock(from),
                    self.clock(self.now),
                ));
            }
        }
        match &e.what {
            What::Packet(p) if p.direction == Direction::Out => {
                self.take(self.under_test.unwrap_or(self.hand));
                self.expect(p, from, to, e.when)
            }
            What::Packet(p) => {
                self.advance(from)?;
                self.take(self.under_test.unwrap_or(self.hand));
                self.inject(p)
            }
            What::Call(c) => {
                self.advance(from)?;
                self.call(c, e)
            }
            What::Icmp(i) => {
                self.advance(from)?;
                self.take(self.under_test.unwrap_or(self.hand));
                self.unreachable(i)
            }
            What::Code(c) => {
                self.advance(from)?;
                self.take(self.under_test.unwrap_or(self.hand));
                self.code(c, e.line)
            }
            What::Shell(c) => {
                self.advance(from)?;
                let text = c.text.trim();
                if let Some(s) = text.strip_prefix("sleep ").and_then(|s| s.parse::<f64>().ok()) {
                    return self.advance(self.now + us((s * 1e6) as i64));
                }
                if let Some(what) = text.strip_prefix("nstat") {
                    return self.counters(what);
                }
                let set = |s: &Setup| {
                    let hosts = (s.probing, s.patience, s.sysctls, s.keepalive, s.ecn_fallback);
                    format!("{:?} {hosts:?}", s.params)
                };
                let (qdisc, before, route) = (self.setup.qdisc, set(&self.setup), self.setup.route);
                self.setup.shell(text).map_err(Stop::Skip)?;
                self.fast_sysctls();
                let live = |c: &Conn| c.sock.as_ref().is_some_and(|s| s.state() != State::Closed && !c.closed);
                let any = live(&self.c) || self.others.values().any(live);
                if any && before != set(&self.setup) {
                    return skip(format!("a change of an open connection's sysctls: {text}"));
                }
                if route != self.setup.route {
                    self.reroute();
                }
                if qdisc != self.setup.qdisc {
                    let qdisc = self.setup.qdisc;
                    for c in std::iter::once(&mut self.c).chain(self.others.values_mut()) {
                        if !c.link.is_empty() {
                            return skip("a change of a qdisc that holds packets");
                        }
                        c.link = Link::new(qdisc);
                        if let Some(s) = c.sock.as_mut() {
                            s.on_fq(c.link.is_fq());
                        }
                    }
                }
                Ok(())
            }
            What::Unknown(text) => skip(format!("\"{text}\"")),
        }
    }

    /// A time as scripts write it.
    fn clock(&self, t: Time) -> String {
        format!("{:.6}", (t - BEGIN).as_s())
    }

    // ---- time

    /// Lets time pass until `to`; everything that is due happens.
    fn advance(&mut self, to: Time) -> Step {
        while self.step(to)? {}
        self.now = self.now.max(to);
        Ok(())
    }

    /// The next thing that happens up to `to`. False: nothing does.
    fn step(&mut self, to: Time) -> Result<bool, Stop> {
        self.settle()?;
        let (next, whose) = self.earliest();
        if next.is_never() || next > to {
            return Ok(false);
        }
        self.now = self.now.max(next);
        let (now, back) = (self.now, self.hand);
        self.take(whose);
        if let Some(s) = self.c.sock.as_mut() {
            if s.wake_at() <= now {
                s.on_timer(now, &mut self.c.link, &mut Blind);
            }
        }
        self.settle()?;
        self.take(back);
        Ok(true)
    }

    /// What leaves the device, is freed, and wakes the socket; then the call that blocks may return.
    fn settle(&mut self) -> Step {
        let now = self.now;
        loop {
            self.tell();
            let (out, freed) = self.c.link.run(now);
            for p in out {
                let pieces: Vec<Packet> = if self.setup.segments { gso_segment(&p, None).collect() } else { vec![p] };
                for p in pieces {
                    let shown = self.shown(&p);
                    self.report.trace.push(format!("{} {shown}", self.clock(now)));
                    self.c.seen.push_back((now, Packet { owner: Owner::NONE, ..p }));
                }
            }
            let Some(s) = self.c.sock.as_mut() else { break };
            for f in self.c.link.cut.drain(..) {
                s.on_gso(&f);
            }
            let mut woken = s.on_freed_within();
            for f in freed.iter().filter(|f| f.owner != Owner::NONE) {
                woken |= s.on_free_packet(f);
            }
            if !woken {
                break;
            }
            s.on_tsq(now, &mut self.c.link, &mut Blind);
        }
        self.tell();
        self.hear_news();
        self.wake();
        self.unblock()
    }

    /// The route has changed: sockets hear of it.
    fn reroute(&mut self) {
        let route = self.setup.route;
        for c in std::iter::once(&mut self.c).chain(self.others.values_mut()) {
            c.sock.iter_mut().for_each(|s| s.route_changes(&route));
        }
    }

    /// The socket is told what has left.
    fn tell(&mut self) {
        let left = self.c.link.log.drain(..);
        if let Some(s) = self.c.sock.as_mut() {
            s.tell(self.now, left);
        }
    }

    /// How far from `at` something may happen.
    fn tolerance(&self, at: Time) -> Span {
        self.tolerance_since(self.now, at)
    }

    /// The same for what follows something at `since`.
    fn tolerance_since(&self, since: Time, at: Time) -> Span {
        let share = (at - since).ns().max(0) as f64 * self.opt.tolerance_percent / 100.0;
        Span::from_us(self.opt.tolerance_us).max(Span::from_ns(share as i64))
    }
}
