//! Carries a script out: owns the clock, one socket and the device below it.

use crate::expr::{self, Outcome};
use crate::link::Link;
use crate::report::{Failure, Report, Skipped, Verdict};
use crate::script::{Arg, Call, Direction, Event, PacketSpec, Script, TcpOption, What, When};
use crate::setup::{Setup, control};
use crate::wire::{Wire, sorted};
use std::collections::{BTreeMap, VecDeque};
use wavetank_core::sim::{Blind, Bytes, FlowId, NodeId, Owner, Packet, Span, Time};
use wavetank_core::tcp::{Auto, Cc, Config, Offer, Profile, Socket, State, Tunables, gso_segment};

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

/// What a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fd {
    Fresh,
    Listening,
    Connection,
    Closed,
}

/// What was set on a descriptor before it had a connection.
#[derive(Clone, Copy, Default, Debug)]
struct Asked {
    sndbuf: Option<u32>,
    rcvbuf: Option<u64>,
    max_seg: Option<u32>,
    nodelay: Option<bool>,
    cork: Option<bool>,
    cc: Option<Cc>,
}

/// A call that blocks.
struct Blocked {
    call: Call,
    line: usize,
    /// When it must return; none: at once.
    until: Option<Time>,
    /// Bytes that it was given.
    bytes: u32,
}

struct Run<'a> {
    opt: Options,
    setup: Setup,
    mtu: u32,
    ts_tick_us: i64,
    /// `--strict_segments`: a packet is one packet, and PSH, FIN and CWR count.
    strict: bool,
    sock: Option<Socket>,
    link: Link,
    now: Time,
    seen: VecDeque<(Time, Packet)>,
    wire: Wire,
    fds: BTreeMap<i64, (Fd, bool)>,
    asked: Asked,
    /// `shutdown` of receiving and of sending.
    shut: (bool, bool),
    blocked: Option<Blocked>,
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
        sock: None,
        link: Link::new(crate::link::Qdisc::None),
        now: BEGIN,
        seen: VecDeque::new(),
        wire: Wire::new(opt.isn.0, opt.isn.1),
        fds: BTreeMap::new(),
        asked: Asked::default(),
        shut: (false, false),
        blocked: None,
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
                ("--mtu", Ok(n)) if (88..=65_535).contains(&n) => self.mtu = n as u32,
                ("--tcp_ts_tick_usecs", Ok(n)) => self.ts_tick_us = n,
                ("--tcp_ts_ecr_scaled", _) => self.wire.scaled_echo = true,
                ("--ip_version", _) if value == "ipv4" => {}
                ("--local_ip" | "--remote_ip" | "--gateway_ip" | "--netmask_ip" | "--bind_port" | "--verbose", _) => {}
                _ => return skip(format!("the option {o}")),
            }
        }
        if let Some(s) = &script.setup {
            self.setup.shell(&s.text).map_err(Stop::Skip)?;
        }
        self.link = Link::new(self.setup.qdisc);
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
            What::Packet(p) if p.direction == Direction::Out => self.expect(p, from, to, e.when),
            What::Packet(p) => {
                self.advance(from)?;
                self.inject(p)
            }
            What::Call(c) => {
                self.advance(from)?;
                self.call(c, e)
            }
            What::Code(c) => {
                self.advance(from)?;
                self.code(c, e.line)
            }
            What::Shell(c) => {
                self.advance(from)?;
                let text = c.text.trim();
                if let Some(s) = text.strip_prefix("sleep ").and_then(|s| s.parse::<f64>().ok()) {
                    return self.advance(self.now + us((s * 1e6) as i64));
                }
                let (qdisc, params) = (self.setup.qdisc, format!("{:?}", self.setup.params));
                self.setup.shell(text).map_err(Stop::Skip)?;
                if self.sock.is_some() && params != format!("{:?}", self.setup.params) {
                    return skip(format!("a change of an open connection's sysctls: {text}"));
                }
                if qdisc != self.setup.qdisc {
                    if !self.link.is_empty() {
                        return skip("a change of a qdisc that holds packets");
                    }
                    self.link = Link::new(self.setup.qdisc);
                    if let Some(s) = self.sock.as_mut() {
                        s.on_fq(self.link.is_fq());
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
        let wake = self.sock.as_ref().map_or(Time::NEVER, Socket::wake_at);
        let next = wake.min(self.link.next());
        if next.is_never() || next > to {
            return Ok(false);
        }
        self.now = self.now.max(next);
        let now = self.now;
        if let Some(s) = self.sock.as_mut() {
            if wake <= now {
                let rtos = s.stats().rtos;
                s.on_timer(now, &mut self.link, &mut Blind);
                let open = !matches!(s.state(), State::SynSent | State::SynRecv);
                if s.stats().rtos > rtos && open && !s.offer().sack {
                    return skip("a timeout without SACK");
                }
            }
        }
        self.settle()?;
        Ok(true)
    }

    /// What leaves the device, is freed, and wakes the socket; then the call that blocks may return.
    fn settle(&mut self) -> Step {
        let now = self.now;
        loop {
            let (out, mut freed) = self.link.run(now);
            for p in out {
                freed.push((&p).into());
                let pieces: Vec<Packet> = if self.setup.segments { gso_segment(&p, true).collect() } else { vec![p] };
                for p in pieces {
                    let shown = self.shown(&p);
                    self.report.trace.push(format!("{} {shown}", self.clock(now)));
                    self.seen.push_back((now, Packet { owner: Owner::NONE, ..p }));
                }
            }
            let Some(s) = self.sock.as_mut() else { break };
            for (super_packet, parts) in self.link.cut.drain(..) {
                s.on_gso(super_packet, parts);
            }
            let mut woken = false;
            for f in freed.iter().filter(|f| f.owner != Owner::NONE) {
                woken |= s.on_free_packet(now, f);
            }
            if !woken {
                break;
            }
            s.on_tsq(now, &mut self.link, &mut Blind);
        }
        self.unblock()
    }

    /// How far from `at` something may happen.
    fn tolerance(&self, at: Time) -> Span {
        let share = (at - self.now).ns().max(0) as f64 * self.opt.tolerance_percent / 100.0;
        Span::from_us(self.opt.tolerance_us).max(Span::from_ns(share as i64))
    }

    fn shown(&self, p: &Packet) -> PacketSpec {
        let (offer, scale) = self.sock.as_ref().map_or((Offer::default(), 0), |s| (s.offer(), s.window_scale()));
        let mut s = self.wire.show(p, offer, scale);
        if s.ecn.as_deref() == Some("noecn") {
            s.ecn = None;
        }
        s
    }

    // ---- packets

    fn inject(&mut self, spec: &PacketSpec) -> Step {
        self.advance(self.now + TAKES)?;
        self.report.trace.push(format!("{} {spec}", self.clock(self.now)));
        let agreed = self.sock.as_ref().map(Socket::offer);
        let p = self.wire.inject(spec, agreed).map_err(Stop::Skip)?;
        if self.sock.is_none() {
            let listens = self.fds.values().any(|f| f.0 == Fd::Listening);
            if !listens || spec.flags.contains('.') || !spec.flags.contains('S') {
                return skip("a packet for no connection");
            }
            self.sock = Some(self.make(false));
        }
        let (now, s) = (self.now, self.sock.as_mut().expect("made"));
        if s.state() == State::Closed {
            return skip("a packet for a closed connection");
        }
        let closed = self.fds.values().any(|f| f.0 == Fd::Closed) || self.shut == (true, true);
        if closed && spec.len > 0 {
            return skip("data for a closed descriptor");
        }
        if s.state() == State::SynSent && !spec.flags.contains('S') {
            return skip("an answer to a SYN that is none");
        }
        if s.state() == State::SynSent && !spec.flags.contains('.') {
            return skip("a simultaneous open");
        }
        let i = s.info(now);
        let open = !matches!(s.state(), State::Listen | State::SynSent | State::SynRecv);
        if open && !s.offer().sack && i.unacked > 0 && spec.len == 0 && p.ack == s.snd_una() && p.wnd == i.snd_wnd {
            return skip("a duplicate ACK without SACK");
        }
        s.on_packet(now, &p, &mut self.link, &mut Blind);
        self.settle()
    }

    fn expect(&mut self, spec: &PacketSpec, from: Time, to: Time, when: When) -> Step {
        if let Some(c) = spec.flags.chars().find(|c| "RUA".contains(*c)) {
            return skip(format!("the flag {c}"));
        }
        let tolerance = self.tolerance(from);
        let limit = if to.is_never() { self.now + Span::from_s(3_600) } else { to + tolerance };
        let expected = spec.to_string();
        self.settle()?;
        let (mut at, mut last) = (None, 0);
        let mut whole: Option<(Packet, PacketSpec)> = None;
        loop {
            let patience = at.map_or(limit, |t: Time| limit.max(t + PATIENCE));
            while self.seen.is_empty() && self.step(patience)? {}
            let Some((t, p)) = self.seen.pop_front() else {
                let actual = match &whole {
                    Some((_, s)) => format!("only {} bytes of it: {s}", s.len),
                    None => format!("nothing until {}", self.clock(limit)),
                };
                return Err(Stop::Fail("an expected packet does not come".into(), expected, actual));
            };
            let shown = self.shown(&p);
            let before = std::mem::replace(&mut last, shown.len);
            whole = Some(match whole {
                None => {
                    at = Some(t);
                    (p, shown)
                }
                // Segments of what the script has in one piece.
                // All but the last are equally long; the last one's PSH and FIN count.
                Some((first, mut s))
                    if shown.seq == s.seq.wrapping_add(s.len)
                        && shown.len > 0
                        && (shown.len == before || s.len + shown.len >= spec.len) =>
                {
                    at = Some(t);
                    s.len += shown.len;
                    s.flags.retain(|c| !"PF".contains(c));
                    s.flags.extend(shown.flags.chars().filter(|c| "PF".contains(*c)));
                    (first, s)
                }
                Some((_, s)) => {
                    return Err(Stop::Fail(
                        "a packet comes in pieces that do not fit".into(),
                        expected,
                        format!("{s}, then {shown}"),
                    ));
                }
            });
            if whole.as_ref().is_none_or(|(_, s)| s.len >= spec.len || s.len == 0 || self.strict) {
                break;
            }
        }
        let (Some(at), Some((first, mut actual))) = (at, whole) else { unreachable!("it came") };
        self.check(spec, &first, &mut actual).map_err(|what| Stop::Fail(what, expected.clone(), actual.to_string()))?;
        if when != When::Any && (at + tolerance < from || at > to + tolerance) {
            let range =
                if from == to { self.clock(from) } else { format!("{} to {}", self.clock(from), self.clock(to)) };
            return Err(Stop::Fail(
                format!("a packet comes at the wrong time (tolerance {} us)", tolerance.us()),
                format!("{range}: {expected}"),
                format!("{}: {actual}", self.clock(at)),
            ));
        }
        self.report.checked += 1;
        // A packet that left while the script was at an earlier time does not turn the clock back.
        self.now = self.now.max(at);
        if when != When::Any {
            self.advance(from.max(self.now).min(self.now.max(at)))?;
        }
        Ok(())
    }

    /// Compares; the error says what differs. Fields that the script does not tell are taken away from `actual`.
    fn check(&mut self, spec: &PacketSpec, first: &Packet, actual: &mut PacketSpec) -> Result<(), String> {
        if spec.flags.contains('S')
            && spec.seq != actual.seq
            && self.sock.as_ref().is_some_and(|s| s.state() != State::Established)
        {
            // The script gives its own number to our first byte.
            self.wire.local.1 = spec.seq;
            *actual = self.shown(first);
        }
        let stamps = spec.options.iter().flatten().find_map(|o| match o {
            TcpOption::Timestamps(v, _) => Some(*v),
            _ => None,
        });
        let mut late = None;
        if let (Some(v), true) = (stamps, first.tsval != 0) {
            let ticks = i64::from(self.wire.stamp(first.tsval).wrapping_sub(v) as i32);
            let known = self.wire.stamp(first.tsval) != first.tsval;
            if self.ts_tick_us > 0 && known && ticks.abs() * self.ts_tick_us > self.opt.tolerance_us {
                late = Some(ticks);
            }
            self.wire.note_stamp(v, first.tsval);
            if late.is_none() {
                for o in actual.options.iter_mut().flatten() {
                    if let TcpOption::Timestamps(val, _) = o {
                        *val = v;
                    }
                }
            }
        }
        if spec.win.is_none() {
            actual.win = None;
        }
        let ecn = actual.ecn.take().unwrap_or("noecn".into());
        if let Some(e) = &spec.ecn {
            actual.ecn = Some(ecn.clone());
            if *e != ecn && !(e == "ect01" && ecn.starts_with("ect")) {
                return Err(format!("ECN {ecn} instead of {e}"));
            }
        }
        if spec.options.is_none() {
            actual.options = None;
        }
        if sorted(&spec.flags) != sorted(&actual.flags) {
            return Err("other flags".into());
        }
        if spec.seq != actual.seq {
            return Err("another sequence number".into());
        }
        if spec.len != actual.len {
            return Err(format!("{} bytes of payload instead of {}", actual.len, spec.len));
        }
        if spec.ack != actual.ack {
            return Err("another acknowledgement".into());
        }
        if spec.win != actual.win {
            return Err("another window".into());
        }
        if late.is_some() || spec.options != actual.options {
            return Err("other options".into());
        }
        Ok(())
    }

    // ---- calls

    fn make(&mut self, client: bool) -> Socket {
        let (a, b) = (NodeId(0), NodeId(1));
        let mut params = self.setup.params;
        if let Some(cc) = self.asked.cc {
            params.cc = cc;
        }
        params.rcvbuf = self.asked.rcvbuf.map(Bytes::new).or(params.rcvbuf);
        // The device takes super-packets.
        params.gso_max_segs = Auto::Auto;
        let cfg = Config {
            flow: FlowId(0),
            local: a,
            remote: b,
            owner: Owner(0),
            params,
            cc: Tunables::default(),
            profile: self.opt.profile,
            hz: self.opt.hz,
            dscp: 0,
            mtu: self.mtu,
            tso: true,
            start_seq: self.wire.local.0,
        };
        let mut s = if client { Socket::client(&cfg) } else { Socket::server(&cfg) };
        s.by_calls(self.setup.offer);
        if let Some(n) = self.asked.max_seg {
            s.set_max_seg(n);
        }
        if let Some(n) = self.asked.sndbuf {
            s.set_sndbuf(n);
        }
        s.set_nagle(self.now, self.asked.nodelay, self.asked.cork, &mut self.link);
        if self.link.is_fq() {
            s.on_fq(true);
        }
        s
    }

    fn call(&mut self, c: &Call, e: &Event) -> Step {
        if let Some(b) = &self.blocked {
            return skip(format!("a call while {} (line {}) blocks", b.call.name, b.line));
        }
        let until = c.until.map(|u| {
            if matches!(e.when, When::After(_)) {
                self.start_of(e) + Span::from_us(u)
            } else {
                BEGIN + Span::from_us(u)
            }
        });
        let fd = c.args.first().and_then(Arg::number).unwrap_or(-1);
        let known = self.fds.get(&fd).copied();
        let buffer = matches!(c.args.get(1), Some(Arg::Dots | Arg::Text(_)));
        if ["write", "send", "sendto", "read", "recv", "recvfrom"].contains(&c.name.as_str()) && !buffer {
            return skip(format!("{} of a buffer of its own", c.name));
        }
        let answers = |r: i64, errno: Option<&str>| answer(c, r, errno);
        match (c.name.as_str(), known) {
            ("socket", _) => {
                if !c.args.iter().any(|a| a.names("SOCK_STREAM")) {
                    return skip(format!("{} of another kind", c.name));
                }
                let Some(fd) = c.returns.filter(|n| *n >= 0) else { return skip("a socket that cannot be made") };
                self.fds.insert(fd, (Fd::Fresh, c.args.iter().any(|a| a.names("SOCK_NONBLOCK"))));
                Ok(())
            }
            ("bind", Some(_)) => answers(0, None),
            ("listen", Some((Fd::Fresh, n))) => {
                self.fds.insert(fd, (Fd::Listening, n));
                answers(0, None)
            }
            ("accept" | "accept4", Some((Fd::Listening, nonblock))) => {
                if !self.accepted() && nonblock {
                    return answers(-1, Some("EAGAIN"));
                }
                self.block(c, e.line, until, 0)
            }
            ("connect", Some((Fd::Fresh, nonblock))) => {
                if self.sock.is_some() {
                    return skip("a second connection");
                }
                let mut s = self.make(true);
                s.connect(self.now, &mut self.link, &mut Blind);
                self.sock = Some(s);
                self.fds.insert(fd, (Fd::Connection, nonblock));
                self.settle()?;
                if nonblock { answers(-1, Some("EINPROGRESS")) } else { self.block(c, e.line, until, 0) }
            }
            ("connect", Some((Fd::Connection, _))) if self.accepted() => answers(0, None),
            ("fcntl", Some((kind, _))) => {
                let get = c.args.get(1).is_some_and(|a| a.names("F_GETFL"));
                let flags = c.args.get(2).cloned().unwrap_or(Arg::Dots);
                if !get {
                    if !matches!(flags, Arg::Names(_)) {
                        return skip("fcntl of numbers");
                    }
                    self.fds.insert(fd, (kind, flags.names("O_NONBLOCK")));
                }
                Ok(())
            }
            ("setsockopt", Some((kind, _))) => self.set_option(c, kind),
            ("getsockopt", Some((kind, _))) if c.args.iter().any(|a| a.names("TCP_MAXSEG")) => {
                // src: linux@6.12 net/ipv4/tcp.c do_tcp_getsockopt
                let live = self.sock.as_ref().filter(|_| kind == Fd::Connection);
                let mss = live.and_then(|s| s.tcp_info(self.now, "tcpi_snd_mss")).unwrap_or(536);
                let mss = if live.is_some() { mss } else { self.asked.max_seg.map_or(mss, u64::from) };
                match c.args.get(3).and_then(Arg::number) {
                    Some(n) if n as u64 == mss => answers(0, None),
                    n => Err(Stop::Fail("another segment size".into(), format!("{n:?}"), mss.to_string())),
                }
            }
            ("getsockopt", Some(_)) if c.args.iter().any(|a| a.names("SO_ERROR")) => match c.args.get(3) {
                Some(a) if a.number() == Some(0) => answers(0, None),
                _ => skip("an error that was expected of the socket"),
            },
            ("write" | "send" | "sendto", Some((Fd::Connection, nonblock))) => {
                let Some(n) = c.args.get(2).and_then(Arg::number).and_then(|n| u32::try_from(n).ok()) else {
                    return skip(format!("{} of what is not bytes", c.name));
                };
                let (mut more, mut nonblock) = (false, nonblock);
                match c.args.get(3) {
                    None | Some(Arg::Number(0)) => {}
                    Some(Arg::Names(v)) => {
                        for f in v {
                            match f.as_str() {
                                "MSG_MORE" => more = true,
                                "MSG_DONTWAIT" => nonblock = true,
                                "MSG_NOSIGNAL" => {}
                                _ => return skip(format!("the flag {f}")),
                            }
                        }
                    }
                    Some(_) => return skip("flags by number"),
                }
                if self.shut.1 {
                    return answers(-1, Some("EPIPE"));
                }
                let Some(s) = self.sock.as_mut() else { return skip("a write without a connection") };
                if !matches!(s.state(), State::Established | State::CloseWait) {
                    return skip("a write on a connection that is not open");
                }
                s.write(self.now, n, more, &mut self.link);
                self.settle()?;
                let left = self.sock.as_ref().map_or(0, Socket::unwritten);
                if left == 0 {
                    return answers(n.into(), None);
                }
                if nonblock {
                    self.sock.as_mut().map(Socket::unwrite);
                    let done = n - left;
                    return if done == 0 { answers(-1, Some("EAGAIN")) } else { answers(done.into(), None) };
                }
                self.block(c, e.line, until, n)
            }
            ("read" | "recv" | "recvfrom", Some((Fd::Connection, nonblock))) => {
                let Some(n) = c.args.get(2).and_then(Arg::number).and_then(|n| u32::try_from(n).ok()) else {
                    return skip(format!("{} of what is not bytes", c.name));
                };
                if c.args.get(3).is_some_and(|a| !matches!(a, Arg::Number(0))) {
                    return skip("flags of recv");
                }
                let Some(s) = self.sock.as_mut() else { return skip("a read without a connection") };
                if s.unread() == 0 && !s.at_end() && !self.shut.0 && nonblock {
                    return answers(-1, Some("EAGAIN"));
                }
                self.block(c, e.line, until, n)
            }
            ("close", Some((kind, n))) => {
                if kind == Fd::Connection {
                    let s = self.sock.as_mut().expect("a connection has a socket");
                    if s.unread() > 0 {
                        return skip("a close with unread data, which resets");
                    }
                    if matches!(s.state(), State::SynSent | State::SynRecv) {
                        return skip("a close before the connection is open");
                    }
                    s.close(self.now, &mut self.link);
                    self.fds.insert(fd, (Fd::Closed, n));
                } else {
                    self.fds.remove(&fd);
                }
                self.settle()?;
                answers(0, None)
            }
            ("shutdown", Some((Fd::Connection, _))) => {
                if c.args.get(1).is_some_and(|a| a.names("SHUT_RD")) {
                    self.shut.0 = true;
                    return answers(0, None);
                }
                let both = c.args.get(1).is_some_and(|a| a.names("SHUT_RDWR"));
                let s = self.sock.as_mut().expect("a connection has a socket");
                if !matches!(s.state(), State::Established | State::CloseWait) {
                    return skip("shutdown of a connection that is not open");
                }
                s.close(self.now, &mut self.link);
                self.shut = (self.shut.0 || both, true);
                self.settle()?;
                answers(0, None)
            }
            (name, _) => skip(format!("the call {name}")),
        }
    }

    fn start_of(&self, e: &Event) -> Time {
        // The call's times are both relative to the event before it: `advance` has moved the clock to the first.
        match e.when {
            When::After(d) => Time::from_ns(self.now.ns() - d as u64 * 1_000),
            _ => BEGIN,
        }
    }

    fn set_option(&mut self, c: &Call, kind: Fd) -> Step {
        let Some(Arg::Names(names)) = c.args.get(2) else { return skip("a socket option by number") };
        let value = c.args.get(3).and_then(Arg::number);
        let live = kind == Fd::Connection;
        let on = value.map(|v| v != 0);
        let size = value.and_then(|v| u32::try_from(v).ok());
        match (names[0].as_str(), size) {
            ("SO_REUSEADDR" | "SO_REUSEPORT" | "SO_ZEROCOPY" | "TCP_SYNCNT" | "SO_KEEPALIVE", _) => {}
            ("TCP_NODELAY", Some(_)) => {
                self.asked.nodelay = on;
                if let Some(s) = self.sock.as_mut().filter(|_| live) {
                    s.set_nagle(self.now, on, None, &mut self.link);
                }
            }
            ("TCP_CORK", Some(_)) => {
                self.asked.cork = on;
                if let Some(s) = self.sock.as_mut().filter(|_| live) {
                    s.set_nagle(self.now, None, on, &mut self.link);
                }
            }
            ("SO_SNDBUF", Some(n)) => {
                self.asked.sndbuf = Some(n);
                if let Some(s) = self.sock.as_mut().filter(|_| live) {
                    s.set_sndbuf(n);
                }
            }
            ("SO_RCVBUF", Some(n)) if !live && self.sock.is_none() => self.asked.rcvbuf = Some(n.into()),
            ("TCP_MAXSEG", Some(n)) if !live && self.sock.is_none() && n >= 88 => self.asked.max_seg = Some(n),
            ("TCP_CONGESTION", _) => {
                let Some(Arg::Text(name)) = c.args.get(3) else { return skip("TCP_CONGESTION without a name") };
                let Some(cc) = control(name) else { return skip(format!("the congestion control {name}")) };
                self.asked.cc = Some(cc);
                if let Some(s) = self.sock.as_mut().filter(|_| live) {
                    s.set_congestion_control(cc);
                }
            }
            (name, _) => return skip(format!("the socket option {name}")),
        }
        self.settle()?;
        answer(c, 0, None)
    }

    fn accepted(&self) -> bool {
        self.sock.as_ref().is_some_and(|s| !matches!(s.state(), State::Listen | State::SynSent | State::SynRecv))
    }

    fn block(&mut self, c: &Call, line: usize, until: Option<Time>, bytes: u32) -> Step {
        self.blocked = Some(Blocked { call: c.clone(), line, until, bytes });
        self.settle()?;
        if self.blocked.is_some() && until.is_none() {
            // packetdrill waits for such a call.
            let limit = self.now + PATIENCE;
            while self.blocked.is_some() && self.step(limit)? {}
            if self.blocked.take().is_some() {
                return Err(Stop::Fail(
                    format!("{} does not return", c.name),
                    format!("{:?}", c.returns),
                    "it blocks".into(),
                ));
            }
        }
        Ok(())
    }

    /// Lets the call that blocks return, if it can.
    fn unblock(&mut self) -> Step {
        let Some(b) = self.blocked.take() else { return Ok(()) };
        let (now, open) = (self.now, self.accepted());
        let result = match (b.call.name.as_str(), self.sock.as_mut()) {
            ("accept" | "accept4", _) if open => {
                let Some(fd) = b.call.returns.filter(|n| *n >= 0) else { return skip("an accept that fails") };
                let nonblock = b.call.args.iter().any(|a| a.names("SOCK_NONBLOCK"));
                if self.fds.values().any(|f| f.0 == Fd::Connection) {
                    return skip("a second connection");
                }
                self.fds.insert(fd, (Fd::Connection, nonblock));
                Some(fd)
            }
            ("connect", _) if open => Some(0),
            ("write" | "send" | "sendto", Some(s)) if s.unwritten() == 0 => Some(b.bytes.into()),
            ("read" | "recv" | "recvfrom", Some(s)) if s.unread() > 0 || s.at_end() || self.shut.0 => {
                let n = s.read(now, b.bytes, &mut self.link);
                Some(n.into())
            }
            _ => None,
        };
        let Some(result) = result else {
            if let Some(end) = b.until.filter(|t| *t + Span::from_us(self.opt.tolerance_us) < now) {
                let (name, at) = (&b.call.name, self.clock(end));
                return Err(Stop::Fail(format!("{name} (line {}) does not return", b.line), at, "it blocks".into()));
            }
            self.blocked = Some(b);
            return Ok(());
        };
        if let Some(end) = b.until {
            if (now - end).ns().abs() > self.opt.tolerance_us * 1_000 {
                return Err(Stop::Fail(
                    format!("{} (line {}) returns at the wrong time", b.call.name, b.line),
                    self.clock(end),
                    self.clock(now),
                ));
            }
        }
        answer(&b.call, result, None)?;
        self.settle()
    }

    // ---- assertions

    fn code(&mut self, text: &str, line: usize) -> Step {
        self.settle()?;
        let (sock, now) = (self.sock.as_ref(), self.now);
        let lookup = |name: &str| -> Option<Result<f64, String>> {
            if let Some(n) = constant(name) {
                return Some(Ok(n));
            }
            name.strip_prefix("tcpi_")?;
            let value = sock.and_then(|s| {
                if name == "tcpi_snd_wscale" { Some(self.wire.peer_scale.into()) } else { s.tcp_info(now, name) }
            });
            Some(value.map(|v| v as f64).ok_or_else(|| format!("{name}, which the model does not keep")))
        };
        let mut names = std::mem::take(&mut self.names);
        let outcomes = expr::execute(text, &mut names, &lookup);
        self.names = names;
        for o in outcomes {
            match o {
                Outcome::Done => {}
                Outcome::Held => self.report.checked += 1,
                Outcome::Printed(s) => self.report.printed.push(s),
                Outcome::Failed(expected, actual) => {
                    return Err(Stop::Fail("an assertion does not hold".into(), expected, actual));
                }
                Outcome::Unknown(why) => {
                    self.report.skipped.push(Skipped { line, what: format!("an assertion: {why}") })
                }
            }
        }
        Ok(())
    }
}

/// Compares what a call returned with what it should.
fn answer(c: &Call, returned: i64, errno: Option<&str>) -> Step {
    let same = c.returns.is_none_or(|r| r == returned)
        && (c.errno.is_none()
            || c.errno.as_deref() == errno
            || returned >= 0 && errno.is_none() && c.returns == Some(returned));
    if same {
        return Ok(());
    }
    let show =
        |r: Option<i64>, e: Option<&str>| format!("{} {}", r.map_or("?".into(), |r| r.to_string()), e.unwrap_or(""));
    Err(Stop::Fail(
        format!("{} returns something else", c.name),
        show(c.returns, c.errno.as_deref()),
        show(Some(returned), errno),
    ))
}

/// Names that packetdrill gives to the numbers of `TCP_INFO`. src: google/packetdrill gtests/net/packetdrill/code.c
fn constant(name: &str) -> Option<f64> {
    Some(f64::from(match name {
        "TCP_CA_Open" => 0,
        "TCP_CA_Disorder" => 1,
        "TCP_CA_CWR" => 2,
        "TCP_CA_Recovery" => 3,
        "TCP_CA_Loss" => 4,
        "TCP_ESTABLISHED" => 1,
        "TCP_SYN_SENT" => 2,
        "TCP_SYN_RECV" => 3,
        "TCP_FIN_WAIT1" => 4,
        "TCP_FIN_WAIT2" => 5,
        "TCP_TIME_WAIT" => 6,
        "TCP_CLOSE" => 7,
        "TCP_CLOSE_WAIT" => 8,
        "TCP_LAST_ACK" => 9,
        "TCP_LISTEN" => 10,
        "TCP_CLOSING" => 11,
        "TCP_INFINITE_SSTHRESH" => 0x7fff_ffff,
        "TCPI_OPT_TIMESTAMPS" => 1,
        "TCPI_OPT_SACK" => 2,
        "TCPI_OPT_WSCALE" => 4,
        "TCPI_OPT_ECN" => 8,
        "TCPI_OPT_ECN_SEEN" => 16,
        "TCPI_OPT_SYN_DATA" => 32,
        _ => return None,
    }))
}
