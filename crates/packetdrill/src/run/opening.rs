//! How connections open: `listen` and the SYN that comes, `connect`, and Fast Open's ways: a write that connects (`MSG_FASTOPEN`), a connect that
//! waits for a write (`TCP_FASTOPEN_CONNECT`).
//!
//! Stands for: Linux 6.12 net/ipv4/af_inet.c `__inet_stream_connect`, `__inet_listen_sk`; net/ipv4/tcp.c `tcp_sendmsg_fastopen`;
//! net/ipv4/tcp_fastopen.c `tcp_fastopen_defer_connect`, `tcp_try_fastopen`.

use super::answers::{Fd, answer};
use super::blocking::Rest;
use super::connection::Stage;
use super::{Run, Step, Stop, skip};
use crate::script::{Arg, Call};
use wavetank_core::sim::{Blind, Packet, Time};
use wavetank_core::tcp::{Cookie, Error, Leave, Permit, Socket, State, WriteFlags};

/// `net.core.somaxconn`. src: linux@6.12 include/linux/socket.h SOMAXCONN
pub(super) const SOMAXCONN: u32 = 4_096;

/// A send that opens the connection, or a part of one.
pub(super) struct FastSend {
    pub line: usize,
    pub until: Option<Time>,
    pub bytes: u32,
    pub how: WriteFlags,
    pub nonblock: bool,
}

impl Run<'_> {
    /// What the sysctls of Fast Open change at once.
    pub(super) fn fast_sysctls(&mut self) {
        self.blackhole.timeout_s = self.setup.fastopen.blackhole_s;
        if std::mem::take(&mut self.setup.fastopen.forgets) {
            self.cache = wavetank_core::tcp::Cache::default();
        }
    }

    /// What the socket in hand has to tell its host.
    pub(super) fn hear_news(&mut self) {
        let Some(news) = self.c.sock.as_mut().map(Socket::take_news) else { return };
        if let Some(l) = news.learned {
            self.cache.learn(&l);
        }
        if news.blackhole {
            self.blackhole.suspect(self.now);
        }
        if news.works {
            self.blackhole.works();
        }
        if let (Some(reset), Some(listener)) = (news.through, self.c.listener) {
            // Only what a program has accepted counts on, and only where somebody listens.
            let (now, taken) = (self.now, self.c.taken);
            if let Some(l) = self.others.get_mut(&listener) {
                l.queue.leaves(now, reset && taken && !l.closed);
            }
        }
    }

    // ---- the listener

    pub(super) fn listen(&mut self, fd: i64, c: &Call, nonblock: bool) -> Step {
        let backlog = c.args.get(1).and_then(Arg::number).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        if self.setup.fastopen.every_listener() && self.c.queue.most == 0 {
            self.c.queue.most = backlog.min(SOMAXCONN);
        }
        self.fds.insert(fd, (Fd::Listening, nonblock));
        self.c.bound = true;
        answer(c, 0, None)
    }

    /// A SYN for the listener in hand: a connection, which is taken in hand.
    pub(super) fn begin(&mut self) -> Result<(), Stop> {
        let (listener, asked) = (self.hand, self.c.asked);
        self.new_connection()?;
        (self.c.asked, self.c.listener, self.c.stage) = (asked, Some(listener), Stage::Connected);
        let s = self.make(false);
        self.c.sock = Some(s);
        self.test_this();
        Ok(())
    }

    /// What the SYN that comes to the socket in hand is answered.
    pub(super) fn answer_syn(&mut self, p: &Packet) {
        let (host, asked, now) = (self.setup.fastopen, self.c.asked, self.now);
        let Some(listener) = self.c.listener.and_then(|l| self.others.get_mut(&l)) else { return };
        let cookie = Cookie::of(p);
        if !host.server() || (p.payload == 0 && cookie.is_none()) || !listener.queue.has_room(now) {
            return;
        }
        let valid = listener.asked.keys.unwrap_or(host.keys).cookies(self.remote_ip, self.local_ip);
        let cookieless = host.server_needs_none() || asked.no_cookie;
        let a = listener.queue.answer(cookie, &valid, cookieless);
        if let Some(s) = self.c.sock.as_mut() {
            s.answer_syn(a);
        }
    }

    /// `inet_csk_listen_stop`: the listener in hand closes; what nobody has accepted is reset.
    pub(super) fn stop_listening(&mut self) -> Step {
        let listener = self.hand;
        let orphans: Vec<usize> =
            self.others.iter().filter(|(_, c)| c.listener == Some(listener) && !c.taken).map(|(id, _)| *id).collect();
        for id in orphans {
            self.take(id);
            let now = self.now;
            if let Some(s) = self.c.sock.as_mut() {
                s.forget(now, &mut self.c.link);
            }
            self.settle()?;
        }
        self.take(listener);
        Ok(())
    }

    // ---- the client

    fn leave(&self) -> Leave {
        let cookieless = self.setup.fastopen.client_needs_none() || self.c.asked.no_cookie;
        self.cache.leave(self.now, cookieless, &self.blackhole)
    }

    pub(super) fn connect(&mut self, fd: i64, c: &Call, line: usize, until: Option<Time>, nonblock: bool) -> Step {
        match self.c.stage {
            Stage::Connected => return answer(c, -1, Some("EISCONN")),
            Stage::Connecting { deferred: true } => return answer(c, -1, Some("EISCONN")),
            Stage::Connecting { deferred: false } => {}
            Stage::Unconnected => {
                if self.c.sock.is_some() {
                    return skip("a second connection of a socket");
                }
                self.fds.insert(fd, (Fd::Connection, nonblock));
                let leave = self.leave();
                if self.c.asked.fastopen_connect && matches!(leave.permit, Permit::Data(_)) {
                    self.c.stage = Stage::Connecting { deferred: true };
                    return answer(c, 0, None);
                }
                self.c.stage = Stage::Connecting { deferred: false };
                let (now, mut s) = (self.now, self.make(true));
                if self.c.asked.fastopen_connect {
                    self.c.keeps_request = true;
                    s.connect_fast(now, &leave, 0, false, &mut self.c.link);
                } else {
                    s.connect(now, &mut self.c.link, &mut Blind);
                }
                self.c.sock = Some(s);
                self.settle()?;
                return if nonblock {
                    answer(c, -1, Some("EINPROGRESS"))
                } else {
                    self.block(c, line, until, Rest::of(0))
                };
            }
        }
        if !self.c.open() {
            return if nonblock { answer(c, -1, Some("EALREADY")) } else { self.block(c, line, until, Rest::of(0)) };
        }
        match self.connected() {
            Ok(()) => answer(c, 0, None),
            Err(e) => answer(c, -1, Some(e)),
        }
    }

    /// The connection has opened, or failed: the socket is connected, or may connect once more.
    pub(super) fn connected(&mut self) -> Result<(), &'static str> {
        let failed = self.c.sock.as_mut().is_some_and(|s| s.state() == State::Closed);
        let error = self.c.sock.as_mut().filter(|_| failed).and_then(Socket::take_error);
        self.c.stage = if failed { Stage::Unconnected } else { Stage::Connected };
        if failed { Err(error.map_or("ECONNABORTED", Error::name)) } else { Ok(()) }
    }

    /// `tcp_sendmsg_fastopen`. True: the connection is there, and the send goes on as any other.
    pub(super) fn open_fast(&mut self, fd: i64, c: &Call, f: &FastSend) -> Result<bool, Stop> {
        let unspecified = c.args.get(4).is_some_and(|a| a.names("AF_UNSPEC"));
        if !self.setup.fastopen.client() || unspecified {
            return answer(c, -1, Some("EOPNOTSUPP")).map(|()| false);
        }
        if self.c.keeps_request {
            return answer(c, -1, Some("EALREADY")).map(|()| false);
        }
        match self.c.stage {
            Stage::Connected => return answer(c, -1, Some("EISCONN")).map(|()| false),
            Stage::Connecting { deferred: false } if self.c.open() => {
                return match self.connected() {
                    Ok(()) => Ok(true),
                    Err(e) => answer(c, -1, Some(e)).map(|()| false),
                };
            }
            Stage::Connecting { deferred: false } if f.nonblock => {
                return answer(c, -1, Some("EALREADY")).map(|()| false);
            }
            Stage::Connecting { deferred: false } => return skip("a second call that waits for the connection"),
            Stage::Connecting { deferred: true } | Stage::Unconnected => {}
        }
        if self.c.sock.is_some() {
            return skip("a second connection of a socket");
        }
        self.fds.insert(fd, (Fd::Connection, self.fds.get(&fd).is_some_and(|f| f.1)));
        self.c.stage = Stage::Connecting { deferred: false };
        let mut leave = self.leave();
        if let (Permit::Data(cookie), true) = (leave.permit, f.bytes > 0 && nowhere(c)) {
            // Nothing can be copied: as without a cookie (tcp_send_syn_data).
            leave.permit = cookie.map_or(Permit::Plain, |c| Permit::Ask(Cookie::request(c.experimental)));
        }
        let (now, mut s) = (self.now, self.make(true));
        let gone = s.connect_fast(now, &leave, f.bytes, !f.nonblock, &mut self.c.link);
        if f.how.zerocopy && gone > 0 {
            s.sent_without_copy();
            if gone < f.bytes && !f.nonblock {
                return skip("a send without a copy that has to wait");
            }
        }
        self.c.sock = Some(s);
        self.settle()?;
        if !f.nonblock {
            let rest = Rest { bytes: f.bytes, opens: true, left: f.bytes - gone, how: f.how };
            return self.block(c, f.line, f.until, rest).map(|()| false);
        }
        if gone > 0 { answer(c, gone.into(), None) } else { answer(c, -1, Some("EINPROGRESS")) }.map(|()| false)
    }
}

/// Whether a call's buffer is none.
pub(super) fn nowhere(c: &Call) -> bool {
    c.name != "splice" && c.args.get(1).is_some_and(|a| a.names("NULL"))
}
