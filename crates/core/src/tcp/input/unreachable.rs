//! Routers say that a packet did not get through (ICMP, RFC 792), while a connection opens.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_ipv4.c `tcp_v4_err`, `tcp_v4_mtu_reduced`, `tcp_req_err`; net/ipv4/tcp_input.c `tcp_simple_retransmit`.
//! Differs: D1 nothing is heard once the connection is open; D2 what is learnt of the path is the connection's, not the host's.

use crate::sim::{Lower, Time};
use crate::tcp::options::BARE_HEADERS;
use crate::tcp::sender::app::Error;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};

/// Why a packet did not get through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreachable {
    /// No way to the network.
    Net,
    /// None to the host.
    Host,
    /// It is longer than this, bytes, and must not be cut.
    TooLong(u32),
}

/// What a message did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    /// It was taken.
    Taken,
    /// It is about no packet that is out (`TcpExtOutOfWindowIcmps`).
    OutOfWindow,
    /// The model does not say.
    Unknown,
}

impl Socket {
    /// The packet at `seq` did not get through. `accepted`: a program has the connection.
    pub fn on_unreachable<L: Lower>(
        &mut self,
        now: Time,
        seq: u32,
        why: Unreachable,
        accepted: bool,
        low: &mut L,
    ) -> Heard {
        self.tp.clock.set(now);
        let child = self.fast.as_ref().and_then(|f| f.child);
        let first = child.map_or(self.tp.snd_una, |c| c.isn);
        if before(seq, first) || after(seq, self.tp.snd_nxt) {
            return Heard::OutOfWindow;
        }
        match (self.state, why) {
            (State::SynSent, Unreachable::TooLong(mtu)) => self.path_is_narrower(mtu, low),
            (State::SynSent, _) => self.done(Some(error(why))),
            (State::SynRecv, Unreachable::Net | Unreachable::Host) if child.is_some() && !accepted => {
                self.done(Some(error(why)));
            }
            // A request of a connection is dropped without a word.
            (State::SynRecv, Unreachable::Net | Unreachable::Host) if child.is_none() => self.done(None),
            _ => return Heard::Unknown,
        }
        Heard::Taken
    }

    /// The SYN was too long for the path: it goes again at once, alone, and announces what the path takes.
    fn path_is_narrower<L: Lower>(&mut self, mtu: u32, low: &mut L) {
        let least = BARE_HEADERS + 48;
        if mtu >= self.mtu || mtu < least {
            return;
        }
        self.mtu = mtu;
        self.mss_clamp = self.mss_clamp.min(mtu - BARE_HEADERS);
        self.sync_mss();
        if self.rtx.len() < 2 {
            // A SYN alone is never too long (tcp_simple_retransmit).
            return;
        }
        let first = self.rtx.first();
        for id in [first, first.wrapping_add(1)] {
            self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, id);
        }
        self.lost_without_congestion();
        let sent = self.send_syn(0, true, low);
        self.stats.retransmits += 1;
        self.syn_went_again(sent.is_ok());
        let (rto, max) = (self.rtt.rto, self.rto_max());
        self.timers.reset(&self.tp.clock, Pending::Retrans, rto, max);
    }
}

fn error(why: Unreachable) -> Error {
    match why {
        Unreachable::Net => Error::NetUnreachable,
        Unreachable::Host | Unreachable::TooLong(_) => Error::HostUnreachable,
    }
}
