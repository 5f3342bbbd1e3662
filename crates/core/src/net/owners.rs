//! A program on a host whose packets take it no time: while it reads or writes it owns its socket, and what comes then waits for it.
//!
//! Stands for: linux@6.12 net/ipv4/tcp.c tcp_recvmsg_locked, tcp_sendmsg_locked; net/core/stream.c sk_stream_wait_memory; net/core/sock.c release_sock,
//! __sk_flush_backlog; net/ipv4/tcp_ipv4.c tcp_v4_rcv (`sock_owned_by_user`). Each skb that is read, handed down, or taken out of the backlog takes as
//! long as reading the clock (`sched.rs`, D1): tcp_input.c tcp_rcv_space_adjust, tcp_rcv_established; tcp_output.c tcp_write_xmit.
//! Differs: D1 a call has as much room as there is to read (the second water's: 1 MiB); D2 who is taken out of the backlog sends in the instant of its
//! ACK, without the clock of a tcp_write_xmit of its own.

use super::fabric::Below;
use super::owned::{At, Then, Who};
use super::programs::STEP;
use super::world::World;
use crate::sim::{Probe, Span, Time};
use crate::tcp::Until;

impl<T: Probe> World<T> {
    /// The program that reads from socket `i` has the CPU: how long until it is through with what is there.
    pub(super) fn begin_reading(&mut self, now: Time, i: u16) -> Span {
        let s = &mut self.socks[usize::from(i)];
        let skbs = s.socket.skbs_to_read();
        s.owned.at = if skbs > 0 { At::Copies { first: now + STEP } } else { At::Opens };
        STEP * i64::from(skbs.max(1))
    }

    /// The program that writes to socket `i` has the CPU.
    pub(super) fn begin_writing(&mut self, i: u16) -> Span {
        self.socks[usize::from(i)].owned.at = At::Writes;
        Span::ZERO
    }

    /// The program that owns socket `i`, or is about to, is as far. How long until it is so once more; none: it waits.
    pub(super) fn on_owner(&mut self, now: Time, i: u16) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        match s.owned.at {
            At::Nothing => None,
            At::Opens => {
                s.owned.adds(s.socket.on_copied(now, now));
                self.says_it_read(now, i)
            }
            At::Copies { first } => {
                s.owned.adds(s.socket.on_copied(first, now));
                if s.owned.copied >= s.socket.lowat() && !s.owned.backlog.is_empty() {
                    return self.takes(i, Then::Read);
                }
                self.says_it_read(now, i)
            }
            At::Writes => {
                let mut below = Below::new(&mut self.fabric, s.node);
                let until = s.socket.on_writer(now, &mut below);
                self.arm(i);
                let waiting = !self.socks[usize::from(i)].owned.backlog.is_empty();
                match until {
                    Until::Clock => Some(STEP),
                    Until::Softirqs => Some(Span::ZERO),
                    Until::Backlog if waiting => self.takes(i, Then::Write),
                    Until::Backlog => self.on_owner(now, i),
                    Until::Room => self.leaves(now, i, Who::Writer),
                    Until::Call => self.leaves(now, i, Who::Caller),
                }
            }
            At::Takes { then } => {
                if let Some(p) = s.owned.backlog.take() {
                    self.call(i, |s, low, probe| s.on_backlog(now, &p, low, probe));
                    // Its softirqs may bring more at once.
                    let more = !self.socks[usize::from(i)].owned.backlog.is_empty();
                    return Some(if more { STEP } else { Span::ZERO });
                }
                if !s.owned.backlog.is_empty() {
                    return Some(STEP);
                }
                match then {
                    Then::Read if s.socket.skbs_to_read() > 0 => Some(self.begin_reading(now, i)),
                    Then::Read => self.says_it_read(now, i),
                    Then::Write => {
                        s.owned.at = At::Writes;
                        self.on_owner(now, i)
                    }
                    Then::Leave(who) => self.lets_go(now, i, who),
                }
            }
            At::Leaves => self.leaves(now, i, Who::Reader),
        }
    }

    fn takes(&mut self, i: u16, then: Then) -> Option<Span> {
        self.socks[usize::from(i)].owned.at = At::Takes { then };
        Some(STEP)
    }

    /// `release_sock`: what waits is taken first.
    fn leaves(&mut self, now: Time, i: u16, who: Who) -> Option<Span> {
        if self.socks[usize::from(i)].owned.backlog.is_empty() {
            self.lets_go(now, i, who)
        } else {
            self.takes(i, Then::Leave(who))
        }
    }

    /// `tcp_cleanup_rbuf`, then `release_sock`: at the end of a call, or to wait for more.
    fn says_it_read(&mut self, now: Time, i: u16) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        s.owned.at = At::Leaves;
        let mut below = Below::new(&mut self.fabric, s.node);
        let says = s.socket.on_read_through(now, s.owned.copied > 0, &mut below);
        self.arm(i);
        // What the ACK's softirqs bring is there when it goes on.
        if says { Some(Span::ZERO) } else { self.on_owner(now, i) }
    }

    /// The socket is nobody's. Whatever has come is read at once: by the next call, or since it is not what was last when this one began to wait
    /// (sk_wait_data); and a writer goes on as soon as there is room at all (sk_stream_wait_memory).
    fn lets_go(&mut self, now: Time, i: u16, who: Who) -> Option<Span> {
        let s = &mut self.socks[usize::from(i)];
        s.owned.at = At::Nothing;
        let mut below = Below::new(&mut self.fabric, s.node);
        s.socket.on_release(now, &mut below);
        // A timer that has fired meanwhile is due.
        self.arm(i);
        let s = &mut self.socks[usize::from(i)];
        match who {
            Who::Writer => s.socket.writer_goes_on().then(|| self.begin_writing(i)),
            Who::Caller => Some(self.begin_writing(i)),
            Who::Reader => {
                if s.owned.copied >= s.socket.lowat() {
                    s.owned.copied = 0;
                }
                (s.socket.skbs_to_read() > 0).then(|| self.begin_reading(now, i))
            }
        }
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

    fn world(kernel: &str, until: Time) -> World {
        let source = Source { path: "here", text: QUIET };
        let scenario = read(&source, &[("kernel".to_string(), kernel.to_string())]).unwrap_or_else(|e| panic!("{e}"));
        let mut w: World = World::new(&scenario).unwrap();
        w.run_until(until);
        w
    }

    /// What the owner of socket `i` does until it lets go.
    fn until_it_rests(w: &mut World, now: Time, i: u16, first: Span) {
        let (mut at, mut goes_on) = (now, Some(first));
        while let Some(after) = goes_on {
            at += after;
            goes_on = w.on_owner(at, i);
        }
        let owned = &w.socks[usize::from(i)].owned;
        assert!(!owned.is_owned() && owned.backlog.is_empty());
    }

    /// The first flow's server, and the segments that come to it next, by number and DSCP.
    fn to_the_server(w: &World) -> (u16, impl Fn(u32, u8) -> Packet + use<>) {
        let Ends::Tcp { server, .. } = w.flows[0] else { unreachable!() };
        let s = &w.socks[usize::from(server)];
        let (node, peer) = (s.node, w.socks[0].node);
        let (flow, next, una) = s.socket.next_of_both();
        let segment = move |i: u32, dscp| {
            let mut p = Packet::blank(Kind::Tcp, flow, peer, node);
            (p.seq, p.payload, p.ack, p.flags) = (next.wrapping_add(i * 1448), 1448, una, flags::ACK);
            Packet { dscp, ..p }
        };
        (server, segment)
    }

    /// ACKs of ten segments, `alike` or each marked otherwise than the one before, that come while a program reads two that came before; and
    /// what is unread when it sleeps again.
    fn acks_of_ten(kernel: &str, alike: bool) -> (u64, u32) {
        let now = Time::from_ms(4_000);
        let mut w = world(kernel, now);
        let (server, numbered) = to_the_server(&w);
        let segment = |i| numbered(i, if alike { 0 } else { (i % 2) as u8 });
        let node = w.socks[usize::from(server)].node;
        for i in 0..2 {
            w.deliver(now, node, &segment(i));
        }
        w.begin_reading(now, server);
        let before = w.packets_made();
        for i in 2..12 {
            w.deliver(now, node, &segment(i));
        }
        assert_eq!(w.packets_made(), before, "they wait");
        until_it_rests(&mut w, now, server, STEP);
        let s = &w.socks[usize::from(server)];
        (w.packets_made() - before, s.socket.skbs_to_read())
    }

    /// Ten early segments behind two that are read while the timer of the compressed ACK runs out.
    #[test]
    fn a_compressed_ack_whose_timer_finds_the_socket_in_use_leaves_then_from_6_1_192_on() {
        for (kernel, leaves) in [("6.12", true), ("6.1.192", true), ("5.15.148", false), ("5.10.262", false)] {
            let now = Time::from_ms(4_000);
            let mut w = world(kernel, now);
            let (server, segment) = to_the_server(&w);
            let node = w.socks[usize::from(server)].node;
            for i in [0, 1].into_iter().chain(3..13) {
                w.deliver(now, node, &segment(i, 0));
            }
            let due = w.socks[usize::from(server)].socket.wake_at();
            assert!(due > now && due < now + Span::from_ms(2), "{kernel}: {due:?}");
            let first = w.begin_reading(due, server);
            until_it_rests(&mut w, due, server, first);
            let wakes = w.socks[usize::from(server)].socket.wake_at();
            assert_eq!(wakes <= due, leaves, "{kernel}: {wakes:?}");
        }
    }

    #[test]
    fn what_comes_while_a_program_reads_waits_and_is_answered_once() {
        assert_eq!(acks_of_ten("6.12", true), (1, 0));
        let (acks, unread) = acks_of_ten("4.19", true);
        assert!((4..=5).contains(&acks) && unread == 0, "each for itself before 5.0: {acks}");
    }

    #[test]
    fn what_cannot_be_merged_is_answered_as_the_program_lets_go() {
        assert_eq!(acks_of_ten("6.12", false), (1, 0));
        let (acks, unread) = acks_of_ten("6.1.192", false);
        assert!((4..=5).contains(&acks) && unread == 0, "every second one before 6.6: {acks}");
    }

    #[test]
    fn acknowledgements_that_come_while_a_program_writes_are_taken_when_it_rests() {
        let now = Time::from_ms(4_000);
        let mut w = world("6.12", now);
        let Ends::Tcp { client, server, .. } = w.flows[0] else { unreachable!() };
        let (node, peer) = (w.socks[usize::from(client)].node, w.socks[usize::from(server)].node);
        let acked = |w: &World| w.socks[usize::from(client)].socket.info(now).bytes_acked;
        let (flow, next, una) = w.socks[usize::from(client)].socket.next_of_both();
        let before = acked(&w);
        w.begin_writing(client);
        for i in 1..=3 {
            let mut p = Packet::blank(Kind::Tcp, flow, peer, node);
            (p.seq, p.ack, p.wnd, p.flags) = (next, una.wrapping_add(i * 1448), 1 << 20, flags::ACK);
            w.deliver(now, node, &p);
        }
        assert_eq!(acked(&w), before, "they wait");
        until_it_rests(&mut w, now, client, Span::ZERO);
        assert_eq!(acked(&w) - before, 3 * 1448);
    }
}
