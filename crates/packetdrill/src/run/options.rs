//! `setsockopt`, `getsockopt` and `ioctl`: what is set before there is a connection is kept for it.

use super::answers::{Fd, answer, told};
use super::connection::Stage;
use super::notices::{RX, timestamping};
use super::opening::SOMAXCONN;
use super::{Run, Step, Stop, skip};
use crate::fastopen::Keys;
use crate::script::{Arg, Call};
use crate::setup::control;
use wavetank_core::tcp::{Stamps, State, sof};

/// Requests of `ioctl`, of which scripts have a name for the first alone. src: linux@6.12 include/uapi/asm-generic/ioctls.h FIONREAD,
/// TIOCOUTQ; include/uapi/linux/sockios.h SIOCOUTQNSD
const SIOCINQ: i64 = 0x541b;
const SIOCOUTQ: i64 = 0x5411;
const SIOCOUTQNSD: i64 = 0x894b;

/// Options that change nothing that a script of one plain connection could see.
const HARMLESS: &[&str] =
    &["SO_REUSEADDR", "SO_REUSEPORT", "SO_MARK", "SO_PRIORITY", "IP_TOS", "IP_MTU_DISCOVER", "IP_FREEBIND"];

impl Run<'_> {
    pub(super) fn set_option(&mut self, c: &Call, kind: Fd) -> Step {
        let Some(Arg::Names(names)) = c.args.get(2) else { return skip("a socket option by number") };
        let value = c.args.get(3).and_then(Arg::number);
        let live = kind == Fd::Connection;
        let on = value.map(|v| v != 0);
        // A negative number is as good as its bits.
        let size = value.filter(|v| i32::try_from(*v).is_ok() || u32::try_from(*v).is_ok()).map(|v| v as u32);
        let fresh = !live && self.c.sock.is_none();
        let unopened = self.c.sock.is_none() && self.c.stage == Stage::Unconnected;
        let client = self.setup.fastopen.client();
        let (wmem_max, rmem_max) = (self.setup.wmem_max, self.setup.rmem_max);
        let (now, host) = (self.now, self.setup.keepalive);
        let (low, asked, queue) = (&mut self.c.link, &mut self.c.asked, &mut self.c.queue);
        let sock = self.c.sock.as_mut().filter(|_| live);
        match (names[0].as_str(), size) {
            (name, _) if HARMLESS.contains(&name) => {}
            ("SO_KEEPALIVE" | "TCP_KEEPIDLE" | "TCP_KEEPINTVL" | "TCP_KEEPCNT", Some(n)) => {
                // src: linux@6.12 include/net/tcp.h MAX_TCP_KEEPIDLE, MAX_TCP_KEEPINTVL, MAX_TCP_KEEPCNT
                let (field, most) = match names[0].as_str() {
                    "TCP_KEEPIDLE" => (&mut asked.keep_idle, 32_767),
                    "TCP_KEEPINTVL" => (&mut asked.keep_interval, 32_767),
                    _ => (&mut asked.keep_probes, 127),
                };
                if names[0] == "SO_KEEPALIVE" {
                    asked.keepalive = n != 0;
                } else if !(1..=most).contains(&n) {
                    return answer(c, -1, Some("EINVAL"));
                } else {
                    *field = Some(n);
                }
                let keepalive = asked.keepalive(&host);
                sock.into_iter().for_each(|s| s.set_keepalive(now, keepalive));
            }
            // src: linux@6.12 net/ipv4/tcp.c do_tcp_setsockopt, include/net/tcp.h TCP_FIN_TIMEOUT_MAX
            ("TCP_LINGER2", Some(n)) => {
                let n = n as i32;
                asked.linger2 = if n < 0 { -1 } else { n.min(120) };
                let seconds = asked.linger2;
                sock.into_iter().for_each(|s| s.set_linger2(seconds));
            }
            ("TCP_QUICKACK", Some(n)) => match sock {
                Some(s) => s.set_quickack(now, n, low),
                None => return skip("TCP_QUICKACK before there is a connection"),
            },
            ("SO_RCVLOWAT", Some(n)) => {
                // src: linux@6.12 net/core/sock.c sk_setsockopt
                let n = if value.is_some_and(|v| v < 0) { i32::MAX as u32 } else { n };
                asked.rcvlowat = Some(n);
                if sock.is_some_and(|s| !s.set_rcvlowat(n)) {
                    return skip("SO_RCVLOWAT of more than half of the receive buffer");
                }
            }
            ("SO_MAX_PACING_RATE", Some(n)) => {
                // src: linux@6.12 net/core/sock.c sk_setsockopt
                let most = if n == u32::MAX { u64::MAX } else { n.into() };
                asked.max_pacing_rate = Some(most);
                sock.into_iter().for_each(|s| s.set_max_pacing_rate(most));
            }
            ("TCP_SYNCNT", Some(n)) => {
                if !(1..=127).contains(&n) {
                    return answer(c, -1, Some("EINVAL"));
                }
                asked.syn_retries = Some(n);
                sock.into_iter().for_each(|s| s.set_syn_retries(n));
            }
            // src: linux@6.12 net/ipv4/tcp.c do_tcp_setsockopt
            ("TCP_FASTOPEN", Some(n)) => {
                if i32::try_from(n).is_err() || live {
                    return answer(c, -1, Some("EINVAL"));
                }
                queue.most = n.min(SOMAXCONN);
            }
            ("TCP_FASTOPEN_CONNECT" | "TCP_FASTOPEN_NO_COOKIE", Some(n)) if n > 1 => {
                return answer(c, -1, Some("EINVAL"));
            }
            ("TCP_FASTOPEN_CONNECT", Some(_)) if !client => return answer(c, -1, Some("EOPNOTSUPP")),
            ("TCP_FASTOPEN_CONNECT", Some(_)) if kind != Fd::Fresh || !unopened => {
                return answer(c, -1, Some("EINVAL"));
            }
            ("TCP_FASTOPEN_CONNECT", Some(_)) => asked.fastopen_connect = on == Some(true),
            ("TCP_FASTOPEN_NO_COOKIE", Some(_)) if live => return answer(c, -1, Some("EINVAL")),
            ("TCP_FASTOPEN_NO_COOKIE", Some(_)) => asked.no_cookie = on == Some(true),
            ("TCP_FASTOPEN_KEY", _) => {
                let len = c.args.get(4).and_then(Arg::number);
                let Some(Arg::Text(text)) = c.args.get(3) else { return skip("TCP_FASTOPEN_KEY without a text") };
                if !matches!(len, Some(16 | 32)) {
                    return answer(c, -1, Some("EINVAL"));
                }
                let keys = escaped(text).filter(|b| Some(b.len() as i64) == len).and_then(|b| Keys::from_bytes(&b));
                if keys.is_none() {
                    return skip("a key that is not of the length that is told");
                }
                asked.keys = keys;
            }
            ("SO_TIMESTAMPING", _) => {
                let Some(flags) = c.args.get(3).and_then(timestamping) else {
                    return skip("SO_TIMESTAMPING by other flags");
                };
                if flags & RX != 0 {
                    return skip("SO_TIMESTAMPING of what comes");
                }
                let set = match sock {
                    Some(s) => s.set_timestamping(flags),
                    // As a socket that is closed, or a listener.
                    None => Stamps::default().set(flags, false, 0, 0),
                };
                if !set {
                    return answer(c, -1, Some("EINVAL"));
                }
                if flags & sof::OPT_STATS != 0 {
                    return skip("SOF_TIMESTAMPING_OPT_STATS");
                }
                asked.timestamping = flags;
            }
            // src: linux@6.12 net/core/sock.c sk_setsockopt
            ("SO_ZEROCOPY", Some(n)) if n > 1 => return answer(c, -1, Some("EINVAL")),
            ("SO_ZEROCOPY", Some(_)) => asked.zerocopy = on == Some(true),
            ("TCP_INQ", Some(0 | 1)) => asked.inq = on == Some(true),
            ("TCP_INQ", Some(_)) => return answer(c, -1, Some("EINVAL")),
            ("TCP_NODELAY", Some(_)) => {
                asked.nodelay = on;
                sock.into_iter().for_each(|s| s.set_nagle(now, on, None, low));
            }
            ("TCP_CORK", Some(_)) => {
                asked.cork = on;
                sock.into_iter().for_each(|s| s.set_nagle(now, None, on, low));
            }
            ("TCP_NOTSENT_LOWAT", Some(n)) => {
                asked.notsent_lowat = Some(n);
                let bytes = if n == 0 { self.setup.notsent_lowat } else { n };
                sock.into_iter().for_each(|s| s.set_notsent_lowat(bytes));
            }
            ("TCP_USER_TIMEOUT", Some(n)) if value.is_some_and(|v| v >= 0) => {
                asked.user_timeout = Some(n);
                sock.into_iter().for_each(|s| s.set_user_timeout(n));
            }
            ("SO_LINGER", _) => {
                let field = |name| c.args.get(3).and_then(|a| a.field(name)).and_then(Arg::number);
                match (field("onoff"), field("linger")) {
                    (Some(0), _) => asked.linger_0 = false,
                    (Some(_), Some(0)) => asked.linger_0 = true,
                    _ => return skip("SO_LINGER with a time"),
                }
                let linger = asked.linger_0;
                sock.into_iter().for_each(|s| s.set_linger_0(linger));
            }
            ("SO_SNDBUF", Some(n)) => {
                let n = n.min(wmem_max);
                asked.sndbuf = Some(n);
                sock.into_iter().for_each(|s| s.set_sndbuf(n));
            }
            ("SO_RCVBUF", Some(n)) => {
                let n = n.min(rmem_max);
                asked.rcvbuf = Some(n.into());
                sock.into_iter().for_each(|s| s.set_rcvbuf(n));
            }
            ("TCP_MAXSEG", Some(n)) if fresh && n >= 88 => asked.max_seg = Some(n),
            ("TCP_CONGESTION", _) => {
                let Some(Arg::Text(name)) = c.args.get(3) else { return skip("TCP_CONGESTION without a name") };
                let Some(cc) = control(name) else { return skip(format!("the congestion control {name}")) };
                asked.cc = Some(cc);
                sock.into_iter().for_each(|s| s.set_congestion_control(now, cc));
            }
            (name, _) => return skip(format!("the socket option {name}")),
        }
        self.settle()?;
        answer(c, 0, None)
    }

    pub(super) fn get_option(&mut self, c: &Call, kind: Fd) -> Step {
        let Some(Arg::Names(names)) = c.args.get(2) else { return skip("a socket option by number") };
        let now = self.now;
        let asked = self.c.asked;
        let mut live = self.c.sock.as_mut().filter(|_| kind == Fd::Connection);
        let value: i64 = match names[0].as_str() {
            // src: linux@6.12 net/ipv4/tcp.c do_tcp_getsockopt
            "TCP_MAXSEG" => match (&live, asked.max_seg) {
                (Some(s), Some(n)) if s.state() == State::Closed => n.into(),
                (Some(s), _) => s.tcp_info(now, "tcpi_snd_mss").unwrap_or(536) as i64,
                (None, n) => n.unwrap_or(536).into(),
            },
            "SO_ERROR" => match live.as_mut().and_then(|s| s.take_error()) {
                None => 0,
                Some(e) => {
                    let named = c.args.get(3).is_some_and(|a| match a {
                        Arg::List(v) => v.len() == 1 && v[0].names(e.name()),
                        a => a.names(e.name()),
                    });
                    return if named {
                        answer(c, 0, None)
                    } else {
                        Err(Stop::Fail("another error".into(), told(c.args.get(3)), e.name().into()))
                    };
                }
            },
            "SO_SNDBUF" => match (&live, asked.sndbuf) {
                (Some(s), _) => s.buffers().0.into(),
                (None, Some(n)) => i64::from(n).saturating_mul(2).max(4_608),
                (None, None) => self.setup.params.wmem_default.get() as i64,
            },
            "SO_RCVBUF" if live.is_some() => live.map_or(0, |s| s.buffers().1.into()),
            "TCP_NOTSENT_LOWAT" => asked.notsent_lowat.unwrap_or(0).into(),
            "TCP_USER_TIMEOUT" => asked.user_timeout.unwrap_or(0).into(),
            "TCP_NODELAY" => i64::from(asked.nodelay == Some(true)),
            "TCP_CORK" => i64::from(asked.cork == Some(true)),
            "TCP_INQ" => asked.inq.into(),
            "TCP_FASTOPEN" => self.c.queue.most.into(),
            "TCP_FASTOPEN_CONNECT" => asked.fastopen_connect.into(),
            "TCP_FASTOPEN_NO_COOKIE" => asked.no_cookie.into(),
            "TCP_SYNCNT" => asked.syn_retries.unwrap_or(self.setup.syn_retries).into(),
            "SO_KEEPALIVE" => asked.keepalive.into(),
            "TCP_KEEPIDLE" => asked.keepalive(&self.setup.keepalive).idle_s.into(),
            "TCP_KEEPINTVL" => asked.keepalive(&self.setup.keepalive).interval_s.into(),
            "TCP_KEEPCNT" => asked.keepalive(&self.setup.keepalive).probes.into(),
            "TCP_LINGER2" if asked.linger2 == 0 => self.setup.patience.fin_timeout_s.into(),
            "TCP_LINGER2" => asked.linger2.into(),
            "TCP_QUICKACK" => live.is_none_or(|s| s.quickack()).into(),
            "SO_RCVLOWAT" => live.map_or(asked.rcvlowat.unwrap_or(1), |s| s.rcvlowat()).max(1).into(),
            "SO_MAX_PACING_RATE" => asked.max_pacing_rate.unwrap_or(u64::MAX) as u32 as i64,
            "SO_ZEROCOPY" => asked.zerocopy.into(),
            "SO_TIMESTAMPING" => asked.timestamping.into(),
            name => return skip(format!("reading the socket option {name}")),
        };
        match c.args.get(3).and_then(Arg::number) {
            // Options are numbers of 32 bits.
            Some(n) if n as i32 == value as i32 => answer(c, 0, None),
            Some(n) => Err(Stop::Fail(
                format!("another value of {}", names[0]),
                (n as i32).to_string(),
                (value as i32).to_string(),
            )),
            None => skip(format!("reading {} without a number", names[0])),
        }
    }

    pub(super) fn ioctl(&mut self, c: &Call, kind: Fd) -> Step {
        let (Some(what), Fd::Connection, Some(s)) = (c.args.get(1), kind, self.c.sock.as_ref()) else {
            return skip("an ioctl of what is no connection");
        };
        let named = |n| what.names(n);
        let (name, value) = match what.number() {
            _ if named("SIOCINQ") || named("FIONREAD") => ("SIOCINQ", s.unread()),
            Some(SIOCINQ) => ("SIOCINQ", s.unread()),
            Some(SIOCOUTQ) => ("SIOCOUTQ", s.outq().0),
            Some(SIOCOUTQNSD) => ("SIOCOUTQNSD", s.outq().1),
            _ => return skip("an ioctl of another kind"),
        };
        match c.args.get(2).and_then(Arg::number) {
            Some(n) if n == i64::from(value) => answer(c, 0, None),
            n => Err(Stop::Fail(format!("another {name}"), told(n), value.to_string())),
        }
    }
}

/// The bytes of `\xf7\x63A`.
fn escaped(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [b, after @ ..] = rest {
        rest = after;
        match (b, rest) {
            (b'\\', [b'x', hex @ ..]) if hex.len() >= 2 => {
                out.push(u8::from_str_radix(std::str::from_utf8(&hex[..2]).ok()?, 16).ok()?);
                rest = &hex[2..];
            }
            (b'\\', _) => return None,
            _ => out.push(*b),
        }
    }
    Some(out)
}
