//! Socket calls: what each does to the socket, what it returns, and the one that blocks.

use super::{BEGIN, PATIENCE, Run, Step, Stop, skip};
use crate::script::{Arg, Call, Event, When};
use crate::setup::control;
use wavetank_core::sim::{Auto, Blind, Bytes, FlowId, NodeId, Owner, Span, Time};
use wavetank_core::tcp::{Cc, Config, Socket, State, Tunables};

/// What a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fd {
    Fresh,
    Listening,
    Connection,
    Closed,
}

/// What was set on a descriptor before it had a connection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Asked {
    sndbuf: Option<u32>,
    rcvbuf: Option<u64>,
    max_seg: Option<u32>,
    nodelay: Option<bool>,
    cork: Option<bool>,
    cc: Option<Cc>,
}

/// A call that blocks.
pub(super) struct Blocked {
    call: Call,
    line: usize,
    /// When it must return; none: at once.
    until: Option<Time>,
    /// Bytes that it was given.
    bytes: u32,
}

impl Run<'_> {
    pub(super) fn make(&mut self, client: bool) -> Socket {
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

    pub(super) fn call(&mut self, c: &Call, e: &Event) -> Step {
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

    pub(super) fn start_of(&self, e: &Event) -> Time {
        // The call's times are both relative to the event before it: `advance` has moved the clock to the first.
        match e.when {
            When::After(d) => Time::from_ns(self.now.ns() - d as u64 * 1_000),
            _ => BEGIN,
        }
    }

    pub(super) fn set_option(&mut self, c: &Call, kind: Fd) -> Step {
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

    pub(super) fn accepted(&self) -> bool {
        self.sock.as_ref().is_some_and(|s| !matches!(s.state(), State::Listen | State::SynSent | State::SynRecv))
    }

    pub(super) fn block(&mut self, c: &Call, line: usize, until: Option<Time>, bytes: u32) -> Step {
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
    pub(super) fn unblock(&mut self) -> Step {
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
