//! A reading program on a host whose packets take it no time: while it reads it owns its socket, and what comes then waits for it.
//!
//! Stands for: linux@6.12 net/ipv4/tcp.c tcp_recvmsg_locked, net/core/sock.c release_sock, __sk_flush_backlog; net/ipv4/tcp_ipv4.c tcp_v4_rcv
//! (`sock_owned_by_user`). Each skb that is read or taken out of the backlog takes as long as reading the clock (`programs.rs`, D1): tcp_input.c
//! tcp_rcv_space_adjust, tcp_rcv_established.
//! Differs: D1 a call has as much room as there is to read (the second water's: 1 MiB).

use super::fabric::Below;
use super::programs::STEP;
use super::world::World;
use crate::sim::{Probe, Span, Time};
use crate::tcp::Backlog;

/// What a program that reads is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum At {
    /// It does not own the socket.
    #[default]
    Nothing,
    /// It is about to look for the first time, when the connection is new.
    Opens,
    /// It copies what is there; it has the first skb at that time.
    Copies { first: Time },
    /// It takes out of the backlog, one by one. Then it looks for what else there is to read, or, where it was `leaving`, lets go.
    Takes { leaving: bool },
    /// It has said what it has read, and lets go.
    Leaves,
}

/// A socket's reader, and what waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    at: At,
    /// Bytes that its call has copied.
    copied: u32,
    pub(super) backlog: Backlog,
    /// A timer of the socket's has fired meanwhile.
    timer: bool,
}

impl Reader {
    /// It owns the socket.
    #[inline]
    pub(super) fn owns(&self) -> bool {
        !matches!(self.at, At::Nothing | At::Opens)
    }

    /// A timer of the socket's fires. True: it waits until the socket is let go.
    /// src: linux@6.12 net/ipv4/tcp_timer.c tcp_delack_timer, tcp_compressed_ack_kick, tcp_write_timer; tcp_output.c tcp_release_cb
    #[inline]
    pub(super) fn defers_timer(&mut self) -> bool {
        self.timer |= self.owns();
        self.owns()
    }
}

impl<T: Probe> World<T> {
    /// The program that reads from socket `i` has the CPU: how long until it is through with what is there.
    pub(super) fn begin_reading(&mut self, now: Time, i: u16) -> Span {
        let s = &mut self.socks[usize::from(i)];
        let skbs = s.socket.skbs_to_read();
        s.reader.at = if skbs > 0 { At::Copies { first: now + STEP } } else { At::Opens };
        STEP * i64::from(skbs.max(1))
    }

    /// It is as far. How long until it is so once more; none: it waits for data.
    pub(super) fn on_reading(&mut self, now: Time, i: u16) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        match s.reader.at {
            At::Nothing => return None,
            At::Opens => {
                s.reader.copied += s.socket.on_copied(now, now);
                return self.says_it_read(now, i);
            }
            At::Copies { first } => {
                s.reader.copied += s.socket.on_copied(first, now);
                if s.reader.copied >= s.socket.lowat() && !s.reader.backlog.is_empty() {
                    s.reader.at = At::Takes { leaving: false };
                    return Some(STEP);
                }
                return self.says_it_read(now, i);
            }
            At::Takes { leaving } => {
                if let Some(p) = s.reader.backlog.take() {
                    self.call(i, |s, low, probe| {
                        s.on_packet_unread(now, &p, low, probe);
                    });
                    // An ACK's softirqs may bring more at once.
                    let more = !self.socks[usize::from(i)].reader.backlog.is_empty();
                    return Some(if more { STEP } else { Span::ZERO });
                }
                if !s.reader.backlog.is_empty() {
                    return Some(STEP);
                }
                if !leaving {
                    return match s.socket.skbs_to_read() {
                        0 => self.says_it_read(now, i),
                        _ => Some(self.begin_reading(now, i)),
                    };
                }
            }
            At::Leaves if !s.reader.backlog.is_empty() => {
                s.reader.at = At::Takes { leaving: true };
                return Some(STEP);
            }
            At::Leaves => {}
        }
        self.lets_go(now, i)
    }

    /// `tcp_cleanup_rbuf`, then `release_sock`: at the end of a call, or to wait for more.
    fn says_it_read(&mut self, now: Time, i: u16) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        s.reader.at = At::Leaves;
        let mut below = Below::new(&mut self.fabric, s.node);
        let says = s.socket.on_read_through(now, s.reader.copied > 0, &mut below);
        self.arm(i);
        // What the ACK's softirqs bring is there when it goes on.
        if says { Some(Span::ZERO) } else { self.on_reading(now, i) }
    }

    /// The socket is nobody's. Whatever has come is read at once: by the next call, or since it is not what was last when this one began to wait
    /// (sk_wait_data).
    fn lets_go(&mut self, now: Time, i: u16) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        let fired = core::mem::take(&mut s.reader.timer);
        if s.reader.copied >= s.socket.lowat() {
            s.reader.copied = 0;
        }
        s.reader.at = At::Nothing;
        let next = (s.socket.skbs_to_read() > 0).then(|| self.begin_reading(now, i));
        if fired {
            self.arm(i);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ends::Ends;
    use crate::scenario::{Source, read};
    use crate::sim::{Kind, Packet, flags};

    const QUIET: &str = r#"
name = "owned"
topology.kind = "wired"
host.softirq_first = true
tcp.max_header = 96
tcp.rx_pages = true
tcp.rx_per_buffer = 17
tcp.rx_truesize = "2344 B"
tcp.rcvbuf = "2 MiB"
tcp.rcvlowat = "128 KiB"
htb.rate = "100 Mbit/s"
netem.delay = "5 ms"
traffic.tcp_up = 1
time.lead_in = "1 s"
time.flows = "5 s"
netem.loss = 0
traffic.start_jitter = 0
"#;

    /// ACKs of ten segments that come while a program reads two that came before, and what is unread when it sleeps again.
    fn acks_of_ten(kernel: &str) -> (u64, u32) {
        let source = Source { path: "here", text: QUIET };
        let scenario = read(&source, &[("kernel".to_string(), kernel.to_string())]).unwrap_or_else(|e| panic!("{e}"));
        let mut w: World = World::new(&scenario).unwrap();
        let now = Time::from_ms(4_000);
        w.run_until(now);
        let Ends::Tcp { server, .. } = w.flows[0] else { unreachable!() };
        let s = &w.socks[usize::from(server)];
        let (node, peer) = (s.node, w.socks[0].node);
        let (flow, next, una) = s.socket.next_of_both();
        let segment = |i: u32| {
            let mut p = Packet::blank(Kind::Tcp, flow, peer, node);
            (p.seq, p.payload, p.ack, p.flags) = (next.wrapping_add(i * 1448), 1448, una, flags::ACK);
            p
        };
        for i in 0..2 {
            w.deliver(now, node, &segment(i));
        }
        w.begin_reading(now, server);
        let before = w.packets_made();
        for i in 2..12 {
            w.deliver(now, node, &segment(i));
        }
        assert_eq!(w.packets_made(), before, "they wait");
        let (mut at, mut goes_on) = (now, Some(STEP));
        while let Some(after) = goes_on {
            at += after;
            goes_on = w.on_reading(at, server);
        }
        let s = &w.socks[usize::from(server)];
        assert!(!s.reader.owns() && s.reader.backlog.is_empty());
        (w.packets_made() - before, s.socket.skbs_to_read())
    }

    #[test]
    fn what_comes_while_a_program_reads_waits_and_is_answered_once() {
        assert_eq!(acks_of_ten("6.12"), (1, 0));
        let (acks, unread) = acks_of_ten("4.19");
        assert!((4..=5).contains(&acks) && unread == 0, "each for itself before 5.0: {acks}");
    }
}
