//! The programs of a host whose packets take it no time: one has the CPU at a time, the others wait for it in the order in which they were woken.
//!
//! Stands for: Linux 6.12 kernel/sched, where softirqs have been run before a program goes on, and no program takes the CPU from another.
//! Differs: D1 what a program does takes as long as reading the clock in User-Mode Linux, each time that the kernel reads it there, and
//! nothing else (arch/um/kernel/time.c `timer_read`: not in softirqs); a real switch of context takes longer.

use super::event::Event;
use super::programs::STEP;
use super::world::World;
use crate::sim::{Lane, NodeId, Probe, Span, Time};

/// Opening a connection reads it twice.
/// src: linux@6.12 net/ipv4/tcp_output.c tcp_connect: tcp_mstamp_refresh; net/core/secure_seq.c seq_scale: ktime_get_real_ns
const CONNECT: Span = Span::from_ns(512);

impl<T: Probe> World<T> {
    /// A host takes no time for a packet.
    #[inline]
    pub(super) fn in_no_time(&self, node: NodeId) -> bool {
        self.fabric.hosts[usize::from(node.0)].in_no_time()
    }

    /// How long from now a program that is woken now runs: what it takes of its own is waited for when it has the CPU.
    #[inline]
    pub(super) fn until_woken(&self, node: NodeId) -> Span {
        if self.in_no_time(node) { self.wake.max(STEP) - STEP } else { self.wake }
    }

    /// When a program of this host may run that shares its CPU with what has still to process packets; none: now.
    pub(super) fn behind_softirq(&self, now: Time, node: NodeId) -> Option<Time> {
        if self.softirq_first.or(false) { self.fabric.hosts[usize::from(node.0)].busy_until(now) } else { None }
    }

    /// The program that `event` is for, on this host, is to run.
    pub(super) fn wake_program(&mut self, now: Time, node: NodeId, event: Event) {
        let programs = &mut self.programs[usize::from(node.0)];
        let opens = match (programs.runs, event) {
            (Some(Event::FlowStart(f)), Event::SockWrite(i)) => self.flows[usize::from(f)].client() == Some(i),
            _ => false,
        };
        if opens {
            // It is connected as its call returns, and goes on.
            programs.waiting.push_front(event);
        } else if programs.wake(event) {
            self.begin_program(now, node, event);
        }
    }

    fn begin_program(&mut self, now: Time, node: NodeId, event: Event) {
        let step = match event {
            Event::FlowStart(i) => {
                self.start_flow(now, i);
                CONNECT
            }
            Event::SockRead(i) => self.begin_reading(now, i),
            Event::SockWrite(i) => self.begin_writing(i),
            _ => STEP,
        };
        self.fabric.q.push(now + step, Lane::Program, Event::Program(node));
    }

    /// The program that has the CPU acts.
    pub(super) fn on_program(&mut self, now: Time, node: NodeId) {
        let goes_on = match self.programs[usize::from(node.0)].runs {
            Some(Event::SockRead(i)) => {
                let goes_on = self.on_owner(now, i);
                self.socks[usize::from(i)].reads = goes_on.is_some();
                goes_on
            }
            Some(Event::SockWrite(i)) => {
                let goes_on = self.on_owner(now, i);
                self.socks[usize::from(i)].writes = goes_on.is_some();
                if goes_on.is_none() {
                    self.arm(i);
                }
                goes_on
            }
            Some(Event::EchoAnswer(i)) => {
                self.answer(now, i);
                None
            }
            _ => None,
        };
        if let Some(after) = goes_on {
            self.fabric.q.push(now + after, Lane::Program, Event::Program(node));
        } else if let Some(next) = self.programs[usize::from(node.0)].next() {
            self.begin_program(now, node, next);
        }
    }
}
