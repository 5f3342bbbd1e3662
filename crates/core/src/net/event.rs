//! What can happen in a world, and the queue of it.

use super::bss::{BssEvent, StaIx};
use crate::sim::{Due, EventQueue, Lane, NodeId, Time};
use crate::wifi::MediumEvent;

/// Everything that can happen in a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A host is done with the next received packet.
    HostRx(NodeId),
    /// A host's wired card has an interrupt for it.
    HostPoll(NodeId),
    /// A host's tasklets have run, and packets of veth pairs wait.
    HostAgain(NodeId),
    /// A packet arrives at the far end of a port's cable.
    PortArrive(u16),
    /// A port's device has sent a packet.
    PortDone(u16),
    /// A port's qdisc wants to be asked.
    PortWake(u16),
    /// A socket's timer.
    SockTimer(u16),
    /// A socket's TSQ tasklet.
    SockTsq(u16),
    /// The program that reads from a socket is to run.
    SockRead(u16),
    /// The program that writes to a socket is to run.
    SockWrite(u16),
    /// The program that has a host's CPU acts.
    Program(NodeId),
    /// Something in the BSS.
    Bss(BssEvent),
    /// A flow begins.
    FlowStart(u16),
    /// All flows end.
    FlowsEnd,
    /// The window of judgement opens or closes.
    Window,
    /// The next echo request of a series.
    Echo(u16),
    /// The program that answers a series' echoes is to run.
    EchoAnswer(u16),
    /// The next datagram of a flood.
    Flood(u16),
    /// A packet of a flow that is farther away has come so far.
    Far(u16),
    /// Somebody looks.
    Sample,
}

impl Event {
    /// As one word: a number of its own, a short and a long argument. See [`EventQueue`] for why.
    #[inline]
    fn pack(self) -> u64 {
        use BssEvent::{BeaconAsked, BeaconSent, Driver, Hack, Medium, Reorder};
        let (tag, short, long) = match self {
            Event::HostRx(n) => (0, n.0, 0),
            Event::PortArrive(i) => (1, i, 0),
            Event::PortDone(i) => (2, i, 0),
            Event::PortWake(i) => (3, i, 0),
            Event::SockTimer(i) => (4, i, 0),
            Event::SockTsq(i) => (5, i, 0),
            Event::Bss(Medium(MediumEvent::Access(g))) => (6, 0, g),
            Event::Bss(Medium(MediumEvent::Arrive)) => (7, 0, 0),
            Event::Bss(Medium(MediumEvent::Done)) => (8, 0, 0),
            Event::Bss(Medium(MediumEvent::GiveUp(c))) => (9, c, 0),
            Event::Bss(Reorder(s, b)) => (10, b, u32::from(s.0)),
            Event::Bss(Driver(s, t)) => (11, u16::from(s.0), t),
            Event::FlowStart(i) => (12, i, 0),
            Event::FlowsEnd => (13, 0, 0),
            Event::Window => (14, 0, 0),
            Event::Echo(i) => (15, i, 0),
            Event::Flood(i) => (16, i, 0),
            Event::Sample => (17, 0, 0),
            Event::HostPoll(n) => (18, n.0, 0),
            Event::Bss(Hack(s)) => (19, u16::from(s.0), 0),
            Event::Bss(Medium(MediumEvent::Asked)) => (20, 0, 0),
            Event::SockRead(i) => (21, i, 0),
            Event::SockWrite(i) => (22, i, 0),
            Event::Bss(Medium(MediumEvent::Tbtt)) => (23, 0, 0),
            Event::Bss(BeaconAsked) => (24, 0, 0),
            Event::Bss(BeaconSent { collided }) => (25, u16::from(collided), 0),
            Event::HostAgain(n) => (26, n.0, 0),
            Event::Program(n) => (27, n.0, 0),
            Event::EchoAnswer(i) => (28, i, 0),
            Event::Far(i) => (29, i, 0),
        };
        tag | u64::from(short) << 8 | u64::from(long) << 32
    }
    #[inline]
    fn unpack(word: u64) -> Event {
        use BssEvent::{BeaconAsked, BeaconSent, Driver, Hack, Medium, Reorder};
        let (short, long) = ((word >> 8) as u16, (word >> 32) as u32);
        match word as u8 {
            0 => Event::HostRx(NodeId(short)),
            1 => Event::PortArrive(short),
            2 => Event::PortDone(short),
            3 => Event::PortWake(short),
            4 => Event::SockTimer(short),
            5 => Event::SockTsq(short),
            6 => Event::Bss(Medium(MediumEvent::Access(long))),
            7 => Event::Bss(Medium(MediumEvent::Arrive)),
            8 => Event::Bss(Medium(MediumEvent::Done)),
            9 => Event::Bss(Medium(MediumEvent::GiveUp(short))),
            10 => Event::Bss(Reorder(StaIx(long as u8), short)),
            11 => Event::Bss(Driver(StaIx(short as u8), long)),
            12 => Event::FlowStart(short),
            13 => Event::FlowsEnd,
            14 => Event::Window,
            15 => Event::Echo(short),
            16 => Event::Flood(short),
            17 => Event::Sample,
            18 => Event::HostPoll(NodeId(short)),
            19 => Event::Bss(Hack(StaIx(short as u8))),
            20 => Event::Bss(Medium(MediumEvent::Asked)),
            21 => Event::SockRead(short),
            22 => Event::SockWrite(short),
            23 => Event::Bss(Medium(MediumEvent::Tbtt)),
            24 => Event::Bss(BeaconAsked),
            25 => Event::Bss(BeaconSent { collided: short != 0 }),
            26 => Event::HostAgain(NodeId(short)),
            27 => Event::Program(NodeId(short)),
            28 => Event::EchoAnswer(short),
            29 => Event::Far(short),
            _ => unreachable!("no event packs to {word:x}"),
        }
    }
}

/// The queue.
#[derive(Clone, Default)]
pub(super) struct Events(EventQueue<u64>);

impl Events {
    /// The instant of the last event taken out.
    #[inline]
    pub(super) fn now(&self) -> Time {
        self.0.now()
    }
    /// Puts `event` at `at`, which is not in the past.
    #[inline]
    pub(super) fn push(&mut self, at: Time, lane: Lane, event: Event) {
        self.0.push(at, lane, event.pack());
    }
    /// See [`EventQueue::due`].
    #[inline]
    pub(super) fn due(&mut self, at: Time, lane: Lane) -> Due {
        self.0.due(at, lane)
    }
    /// See [`EventQueue::push_due`].
    #[inline]
    pub(super) fn push_due(&mut self, due: Due, event: Event) {
        self.0.push_due(due, event.pack());
    }
    /// See [`EventQueue::comes_next`].
    #[inline]
    pub(super) fn comes_next(&mut self, due: Due, end: Time) -> bool {
        self.0.comes_next(due, end)
    }
    /// Takes the next event out if it is due at or before `end`.
    #[inline]
    pub(super) fn pop_until(&mut self, end: Time) -> Option<(Time, Event)> {
        self.0.pop_until(end).map(|(at, word)| (at, Event::unpack(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_back_from_its_word() {
        let (i, s) = (u16::MAX, StaIx(u8::MAX));
        let bss = [
            BssEvent::Medium(MediumEvent::Access(u32::MAX)),
            BssEvent::Medium(MediumEvent::Asked),
            BssEvent::Medium(MediumEvent::Arrive),
            BssEvent::Medium(MediumEvent::Done),
            BssEvent::Medium(MediumEvent::GiveUp(i)),
            BssEvent::Medium(MediumEvent::Tbtt),
            BssEvent::Reorder(s, i),
            BssEvent::Driver(s, u32::MAX),
            BssEvent::Hack(s),
            BssEvent::BeaconAsked,
            BssEvent::BeaconSent { collided: false },
            BssEvent::BeaconSent { collided: true },
        ];
        let own = [
            Event::HostRx(NodeId(i)),
            Event::HostPoll(NodeId(i)),
            Event::HostAgain(NodeId(i)),
            Event::PortArrive(i),
            Event::PortDone(i),
            Event::PortWake(i),
            Event::SockTimer(i),
            Event::SockTsq(i),
            Event::SockRead(i),
            Event::SockWrite(i),
            Event::Program(NodeId(i)),
            Event::FlowStart(i),
            Event::FlowsEnd,
            Event::Window,
            Event::Echo(i),
            Event::EchoAnswer(i),
            Event::Flood(i),
            Event::Far(i),
            Event::Sample,
        ];
        for e in bss.map(Event::Bss).into_iter().chain(own) {
            assert_eq!(Event::unpack(e.pack()), e);
        }
    }
}
