//! Echoes: who asks, and who answers, the other host's kernel in its softirq or a program once that is through.
//!
//! Stands for: linux@6.12 net/ipv4/icmp.c icmp_echo, which replies within icmp_rcv; a program that waits in recvfrom, as netserver's UDP_RR or
//! irtt's server ([`programs`](super::programs)).
//! Differs: D1 its receive buffer is never full. D2 answering takes it no more time than waking; it reads all that came before it sleeps again.

use super::event::Event;
use super::world::World;
use crate::sim::{Lane, NodeId, Packet, Place, Probe, Reason, Time};
use crate::traffic::Answers;

impl<T: Probe> World<T> {
    /// The next request of series `i`.
    pub(super) fn on_echo(&mut self, now: Time, i: u16) {
        let echo = &mut self.echoes[usize::from(i)];
        let (p, next) = echo.request(now);
        let node = echo.from();
        if next < self.plan.end {
            self.fabric.q.push(next, Lane::App, Event::Echo(i));
        }
        self.originate(now, node, p);
    }

    /// A request has come to whom it asks.
    pub(super) fn on_echo_request(&mut self, now: Time, node: NodeId, p: &Packet, i: u16) {
        self.fabric.accounts.ledger.delivered += 1;
        match self.echoes[usize::from(i)].answers() {
            Answers::Kernel(truesize) => match self.icmp[usize::from(node.0)].answer(p, truesize) {
                Some(reply) => self.originate(now, node, reply),
                // Made and dropped at once.
                None => {
                    self.fabric.accounts.ledger.made += 1;
                    self.fabric.accounts.ledger.note(Place::Socket, Reason::Memory);
                }
            },
            Answers::Program(_) => {
                if self.echoes[usize::from(i)].asked(p) {
                    let woken = self.until_woken(node);
                    self.fabric.q.push(now + woken, Lane::App, Event::EchoAnswer(i));
                }
            }
        }
    }

    /// The program that answers series `i` is to run.
    pub(super) fn on_answering(&mut self, now: Time, i: u16) {
        let node = self.echoes[usize::from(i)].to();
        if self.in_no_time(node) {
            self.wake_program(now, node, Event::EchoAnswer(i));
        } else if let Some(at) = self.behind_softirq(now, node) {
            self.fabric.q.push(at, Lane::App, Event::EchoAnswer(i));
        } else {
            self.answer(now, i);
        }
    }

    /// It runs: it answers all that came since.
    pub(super) fn answer(&mut self, now: Time, i: u16) {
        while let Some(reply) = self.echoes[usize::from(i)].answer() {
            self.originate(now, reply.src, reply);
        }
    }

    /// An answer has come back. A program that asked is woken to see it.
    pub(super) fn on_echo_reply(&mut self, now: Time, node: NodeId, p: &Packet, i: u16) {
        self.fabric.accounts.ledger.delivered += 1;
        self.observer.delivered(now, node, p);
        let seen = match self.echoes[usize::from(i)].answers() {
            Answers::Kernel(_) => now, // ping takes the kernel's time stamps (SO_TIMESTAMP)
            Answers::Program(_) => now + self.wake,
        };
        self.echoes[usize::from(i)].replied(seen, p);
    }
}
