//! Socket calls: what each does to the socket, and what it returns.

use super::answers::{Fd, answer};
use super::blocking::Rest;
use super::connection::Stage;
use super::messages::{ReadFlags, control, message, parts};
use super::opening::{FastSend, nowhere};
use super::{BEGIN, Run, Step, Stop, skip};
use crate::script::{Arg, Call, Event, When};
use wavetank_core::sim::{Auto, Bytes, FlowId, NodeId, Owner, Span, Time};
use wavetank_core::tcp::{Config, Socket, State, Tunables, WriteFlags};

/// src: linux@6.12 include/linux/socket.h
const MSG_FASTOPEN: i64 = 0x2000_0000;

/// Flags of a send.
struct Flags {
    how: WriteFlags,
    /// It must not wait.
    dontwait: bool,
    /// It opens the connection (`MSG_FASTOPEN`).
    fast: bool,
}

impl Run<'_> {
    pub(super) fn make(&mut self, client: bool) -> Socket {
        let (a, b) = (NodeId(0), NodeId(1));
        let mut params = self.setup.params;
        if let Some(cc) = self.c.asked.cc {
            params.cc = cc;
        }
        params.rcvlowat = self.c.asked.rcvlowat.map_or(params.rcvlowat, |n| Bytes::new(n.into()));
        params.rcvbuf = self.c.asked.rcvbuf.map(Bytes::new).or(params.rcvbuf);
        params.max_header = self.opt.max_header;
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
        s.host_tells();
        s.by_calls(self.setup.offer);
        s.hears_tun();
        s.set_core_rmem_max(self.setup.rmem_max);
        s.set_route(self.setup.route, self.setup.probing);
        if let Some(n) = self.c.asked.max_seg {
            s.set_max_seg(n);
        }
        if let Some(n) = self.c.asked.sndbuf {
            s.set_sndbuf(n);
        }
        s.set_nagle(self.now, self.c.asked.nodelay, self.c.asked.cork, &mut self.c.link);
        s.set_notsent_lowat(self.c.asked.notsent_lowat.filter(|n| *n != 0).unwrap_or(self.setup.notsent_lowat));
        s.set_user_timeout(self.c.asked.user_timeout.unwrap_or(0));
        s.set_linger_0(self.c.asked.linger_0);
        if self.c.asked.timestamping != 0 {
            s.set_timestamping(self.c.asked.timestamping);
        }
        // A listener's is for its SYN-ACKs, of which the host has another number.
        let host = client.then_some(self.setup.syn_retries);
        self.c.asked.syn_retries.or(host).into_iter().for_each(|n| s.set_syn_retries(n));
        s.set_keepalive(self.now, self.c.asked.keepalive(&self.setup.keepalive));
        s.set_linger2(self.c.asked.linger2);
        s.set_patience(self.setup.patience);
        s.set_sysctls(self.setup.sysctls);
        s.set_ecn_fallback(self.setup.ecn_fallback);
        if let Some(most) = self.c.asked.max_pacing_rate {
            s.set_max_pacing_rate(most);
        }
        if self.c.link.is_fq() {
            s.on_fq(true);
        }
        self.c.look = super::ready::first_look(&s);
        s
    }

    pub(super) fn call(&mut self, c: &Call, e: &Event) -> Step {
        if let Some(b) = &self.blocked {
            return skip(format!("a call while {} blocks", b.name()));
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
        let makes = ["socket", "pipe", "open", "epoll_create", "epoll_create1", "poll", "cap_set"];
        if known.is_none() && !self.files.has(fd) && !makes.contains(&c.name.as_str()) {
            // packetdrill looks for it before it calls anything (to_live_fd).
            let told = c.args.first().and_then(Arg::number).map_or("none".into(), |n| n.to_string());
            return Err(Stop::Fail(format!("{} of no descriptor", c.name), "one that is open".into(), told));
        }
        if let Some(&id) = self.of.get(&fd) {
            self.take(id);
        }
        let buffer = matches!(c.args.get(1), Some(Arg::Dots | Arg::Text(_)));
        let moves = ["write", "send", "sendto", "read", "recv", "recvfrom"].contains(&c.name.as_str());
        if moves && !buffer && !c.args.get(1).is_some_and(|a| a.names("NULL")) {
            return skip(format!("{} of a buffer of its own", c.name));
        }
        if let Some(done) = self.file_call(c, e, fd, until) {
            return done;
        }
        let answers = |r: i64, errno: Option<&str>| answer(c, r, errno);
        match (c.name.as_str(), known) {
            ("socket", _) => {
                if !c.args.iter().any(|a| a.names("SOCK_STREAM")) {
                    return skip(format!("{} of another kind", c.name));
                }
                let Some(fd) = c.returns.filter(|n| *n >= 0) else { return skip("a socket that cannot be made") };
                self.fds.insert(fd, (Fd::Fresh, c.args.iter().any(|a| a.names("SOCK_NONBLOCK"))));
                let id = self.new_connection()?;
                self.of.insert(fd, id);
                // Packets that come later are this one's.
                self.test_this();
                Ok(())
            }
            ("bind", Some((Fd::Fresh | Fd::Listening | Fd::Connection, _))) => self.bind(c),
            ("listen", Some((Fd::Fresh, n))) => self.listen(fd, c, n),
            ("accept" | "accept4", Some((Fd::Listening, nonblock))) => {
                if self.acceptable(self.hand).is_none() && nonblock {
                    return answers(-1, Some("EAGAIN"));
                }
                self.block(c, e.line, until, Rest::of(0))
            }
            ("connect", Some((Fd::Fresh | Fd::Connection, nonblock))) => self.connect(fd, c, e.line, until, nonblock),
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
            ("getsockopt", Some((kind, _))) => self.get_option(c, kind),
            ("ioctl", Some((kind, _))) => self.ioctl(c, kind),
            ("epoll_create" | "epoll_create1", _) => {
                let Some(fd) = c.returns.filter(|n| *n >= 0) else { return skip("an epoll that cannot be made") };
                self.fds.insert(fd, (Fd::Epoll, false));
                self.epolls.insert(fd, Vec::new());
                Ok(())
            }
            ("epoll_ctl", Some((Fd::Epoll, _))) => self.epoll_ctl(c),
            ("epoll_wait", Some((Fd::Epoll, _))) => self.epoll_wait(c),
            ("poll", _) => {
                if self.polled(c)?.is_some() {
                    return answers(1, None);
                }
                match c.args.get(2).and_then(Arg::number) {
                    Some(0) => answers(0, None),
                    Some(ms) if ms > 0 && c.returns == Some(0) => {
                        self.advance(self.now + Span::from_ms(ms))?;
                        answers(self.polled(c)?.is_some().into(), None)
                    }
                    _ => self.block(c, e.line, until, Rest::of(0)),
                }
            }
            // sock_read_iter: whatever the socket is; recv and its like do wait.
            ("read", Some((Fd::Listening | Fd::Fresh | Fd::Connection, _)))
                if c.args.get(2).and_then(Arg::number) == Some(0) =>
            {
                answers(0, None)
            }
            ("read" | "recv", Some((Fd::Listening | Fd::Fresh, _))) => answers(-1, Some("ENOTCONN")),
            ("recvmsg", Some((Fd::Fresh, _))) if c.args.get(2).is_some_and(|a| a.names("MSG_ERRQUEUE")) => {
                answers(-1, Some("EAGAIN"))
            }
            ("recvmsg", Some((Fd::Connection, nonblock))) => self.receive_message(c, nonblock),
            ("write" | "send" | "sendto" | "sendmsg", Some((kind @ (Fd::Connection | Fd::Fresh), nonblock))) => {
                let of_message = c.name == "sendmsg";
                if of_message && !control(c).is_empty() {
                    return skip("control messages of a send");
                }
                let number = || c.args.get(2).and_then(Arg::number).and_then(|n| u32::try_from(n).ok());
                let given = if of_message { message(c) } else { number() };
                let Some(bytes) = given else { return skip(format!("{} of what is not known", c.name)) };
                let flags = self.write_flags(c.args.get(if of_message { 2 } else { 3 }))?;
                let parts = if of_message && flags.how.zerocopy { parts(c) } else { Some(Vec::new()) };
                let Some(parts) = parts else {
                    return skip(
                        "a send without a copy of more buffers than an skb takes, of which some may lie in two pages",
                    );
                };
                let fast = flags.fast || self.c.deferred();
                match self.c.sock.as_mut().filter(|s| !fast && s.unwritten() == 0 && s.outq().1 == 0 && s.may_send()) {
                    _ if parts.is_empty() => {}
                    Some(s) => s.cut_next(parts.into_iter()),
                    None => return skip("a send without a copy of so many buffers that does not go at once"),
                }
                let nonblock = nonblock || flags.dontwait;
                let f = FastSend { line: e.line, until, bytes, how: flags.how, nonblock };
                if fast {
                    if !self.open_fast(fd, c, &f)? {
                        return Ok(());
                    }
                } else if kind == Fd::Fresh {
                    return answers(-1, Some("EPIPE"));
                }
                self.send(c, &f)
            }
            ("read" | "recv" | "recvfrom", Some((Fd::Connection, nonblock))) => {
                let Some(n) = c.args.get(2).and_then(Arg::number).and_then(|n| u32::try_from(n).ok()) else {
                    return skip(format!("{} of what is not bytes", c.name));
                };
                let how = ReadFlags::of(c.args.get(3))?;
                let nonblock = nonblock || how.dontwait;
                let Some(s) = self.c.sock.as_mut() else {
                    // It waits for its first write, as if for the answer to its SYN.
                    return if nonblock { answers(-1, Some("EAGAIN")) } else { skip("a read without a connection") };
                };
                if s.unread() == 0 {
                    if let Some(error) = s.take_error() {
                        return answers(-1, Some(error.name()));
                    }
                }
                if s.unread() > 0 && n > 0 && !how.trunc && c.args.get(1).is_some_and(|a| a.names("NULL")) {
                    return answers(-1, Some("EFAULT"));
                }
                if s.unread() == 0 && !s.at_end() && !self.c.shut.0 && nonblock {
                    return answers(-1, Some("EAGAIN"));
                }
                if nonblock {
                    // What is there, however little.
                    let read = how.read(s, self.now, n, &mut self.c.link);
                    self.settle()?;
                    return answers(read.into(), None);
                }
                self.block(c, e.line, until, Rest::of(n))
            }
            ("close", Some((kind, _))) => {
                if kind == Fd::Connection {
                    if let Some(s) = self.c.sock.as_mut() {
                        s.close(self.now, &mut self.c.link);
                    }
                }
                self.fds.remove(&fd);
                if kind == Fd::Listening {
                    self.stop_listening()?;
                }
                if self.of.remove(&fd).is_some() {
                    self.c.closed = true;
                }
                self.settle()?;
                answers(0, None)
            }
            ("shutdown", Some((Fd::Connection, _))) => {
                let names = |how| c.args.get(1).is_some_and(|a| a.names(how));
                let (reads, both) = (names("SHUT_RD"), names("SHUT_RDWR"));
                let state = self.c.sock.as_ref().map(Socket::state);
                if state == Some(State::Closed) {
                    // inet_shutdown: no less is it shut.
                    self.c.shut = (self.c.shut.0 || reads || both, self.c.shut.1 || !reads);
                    return answers(-1, Some("ENOTCONN"));
                }
                if reads && state != Some(State::SynSent) {
                    self.c.shut.0 = true;
                    return answers(0, None);
                }
                let Some(s) = self.c.sock.as_mut() else { return skip("shutdown of a connection that is not open") };
                if !matches!(s.state(), State::Established | State::CloseWait) {
                    return skip("shutdown of a connection that is not open");
                }
                s.shutdown(self.now, both, &mut self.c.link);
                self.c.shut = (self.c.shut.0 || both, true);
                self.settle()?;
                answers(0, None)
            }
            (name, _) => skip(format!("the call {name}")),
        }
    }

    /// `__inet_bind`.
    fn bind(&mut self, c: &Call) -> Step {
        match self.c.sock.as_ref().map(Socket::state) {
            // It has a port no more, unless a bind gave it that, but others may.
            Some(State::Closed) if !self.c.bound => skip("bind of a connection that has ended"),
            None if !self.c.bound && self.c.stage == Stage::Unconnected => {
                self.c.bound = true;
                answer(c, 0, None)
            }
            _ => answer(c, -1, Some("EINVAL")),
        }
    }

    /// Flags of a send.
    fn write_flags(&self, flags: Option<&Arg>) -> Result<Flags, Stop> {
        let (mut how, mut dontwait, mut fast) = (WriteFlags::default(), false, false);
        match flags {
            None | Some(Arg::Number(0)) => {}
            Some(Arg::Number(MSG_FASTOPEN)) => fast = true,
            Some(Arg::Names(v)) => {
                for f in v {
                    match f.as_str() {
                        "MSG_MORE" => how.more = true,
                        "MSG_EOR" => how.eor = true,
                        // Without the option the flag is ignored.
                        "MSG_ZEROCOPY" => how.zerocopy = self.c.asked.zerocopy,
                        "MSG_DONTWAIT" => dontwait = true,
                        "MSG_FASTOPEN" => fast = true,
                        "MSG_NOSIGNAL" => {}
                        _ => return skip(format!("the flag {f}")),
                    }
                }
            }
            Some(_) => return skip("flags by number"),
        }
        Ok(Flags { how, dontwait, fast })
    }

    /// Sends.
    pub(super) fn send(&mut self, c: &Call, f: &FastSend) -> Step {
        let (n, how, nonblock) = (f.bytes, f.how, f.nonblock);
        let Some(s) = self.c.sock.as_mut() else { return skip("a write without a connection") };
        if let Some(error) = s.take_error() {
            return answer(c, -1, Some(error.name()));
        }
        if self.c.shut.1 || s.state() == State::Closed {
            return answer(c, -1, Some("EPIPE"));
        }
        if s.state() == State::SynSent && nonblock {
            return answer(c, -1, Some("EAGAIN"));
        }
        if !s.may_send() {
            return skip("a write on a connection that is not open");
        }
        if n > 0 && nowhere(c) {
            return answer(c, -1, Some("EFAULT"));
        }
        if n == 0 {
            return answer(c, 0, None);
        }
        s.write(self.now, n, how, &mut self.c.link);
        let left = s.unwritten();
        if left > 0 && how.zerocopy {
            return skip("a send without a copy that has to wait");
        }
        if nonblock {
            s.unwrite();
        }
        self.settle()?;
        if left == 0 {
            return answer(c, n.into(), None);
        }
        if nonblock {
            let done = n - left;
            return if done == 0 { answer(c, -1, Some("EAGAIN")) } else { answer(c, done.into(), None) };
        }
        self.block(c, f.line, f.until, Rest::of(n))
    }

    pub(super) fn start_of(&self, e: &Event) -> Time {
        // The call's times are both relative to the event before it: `advance` has moved the clock to the first.
        match e.when {
            When::After(d) => Time::from_ns(self.now.ns() - d as u64 * 1_000),
            _ => BEGIN,
        }
    }
}
