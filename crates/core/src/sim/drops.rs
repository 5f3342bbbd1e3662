//! Where and why packets end: every drop has a named place and reason, and the ledger proves that none is lost.

use super::packet::Packet;

/// The layer that let a packet go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Place {
    /// A queueing discipline.
    Qdisc,
    /// mac80211's per-station queues.
    Mac80211,
    /// A device driver or its hardware queue.
    Driver,
    /// The receiver's reorder buffer or MAC.
    Wifi,
    /// A host's receive processing.
    Host,
    /// The socket it was for.
    Socket,
}

/// Why a packet ended other than by being delivered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Reason {
    /// The queue was full (tail or head drop).
    Overlimit,
    /// The queue took more memory than it may.
    Memory,
    /// CoDel decided so.
    Codel,
    /// The last transmission attempt failed.
    Retries,
    /// A duplicate of something received.
    Duplicate,
    /// Nobody waits for it.
    NoSocket,
    /// Too old for the window it belongs to.
    Stale,
    /// A compressed packet that could not be restored.
    Unreadable,
    /// An acknowledgement of another frame was taken for its own.
    Mistaken,
    /// A later TCP ACK in the same queue says all that it says.
    AckFilter,
    /// netem loses it by chance, as it is told to.
    Loss,
}

const PLACES: usize = 6;
const REASONS: usize = 11;

impl Place {
    /// Every place, in the order of its number.
    pub const ALL: [Place; PLACES] =
        [Place::Qdisc, Place::Mac80211, Place::Driver, Place::Wifi, Place::Host, Place::Socket];
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Qdisc => "qdisc",
            Place::Mac80211 => "mac80211",
            Place::Driver => "driver",
            Place::Wifi => "wifi",
            Place::Host => "host",
            Place::Socket => "socket",
        }
    }
}

impl Reason {
    /// Every reason, in the order of its number.
    pub const ALL: [Reason; REASONS] = [
        Reason::Overlimit,
        Reason::Memory,
        Reason::Codel,
        Reason::Retries,
        Reason::Duplicate,
        Reason::NoSocket,
        Reason::Stale,
        Reason::Unreadable,
        Reason::Mistaken,
        Reason::AckFilter,
        Reason::Loss,
    ];
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Overlimit => "overlimit",
            Reason::Memory => "memory",
            Reason::Codel => "codel",
            Reason::Retries => "retries",
            Reason::Duplicate => "duplicate",
            Reason::NoSocket => "no_socket",
            Reason::Stale => "stale",
            Reason::Unreadable => "unreadable",
            Reason::Mistaken => "mistaken",
            Reason::AckFilter => "ack_filter",
            Reason::Loss => "loss",
        }
    }
}

/// What a queue hands a dropped packet to. Its owner is credited by whoever implements this.
pub trait Bin {
    /// `p` ends here.
    fn drop(&mut self, p: Packet, place: Place, reason: Reason);
}

/// Collects what was dropped: for tests.
impl Bin for Vec<(Packet, Place, Reason)> {
    fn drop(&mut self, p: Packet, place: Place, reason: Reason) {
        self.push((p, place, reason));
    }
}

/// Counts of packets made, delivered and dropped. Made = delivered + dropped + still somewhere, always.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ledger {
    /// Packets made by sockets and generators.
    pub made: u64,
    /// Packets that reached the socket or application they were for.
    pub delivered: u64,
    /// Packets dropped, by place and reason.
    pub dropped: [[u64; REASONS]; PLACES],
}

impl Ledger {
    /// Notes a drop.
    pub fn note(&mut self, place: Place, reason: Reason) {
        self.dropped[place as usize][reason as usize] += 1;
    }
    /// All drops.
    pub fn drops(&self) -> u64 {
        self.dropped.iter().flatten().sum()
    }
    /// Every (place, reason, count) that is not zero.
    pub fn named(&self) -> impl Iterator<Item = (Place, Reason, u64)> + '_ {
        Place::ALL.into_iter().flat_map(move |p| {
            Reason::ALL.into_iter().map(move |r| (p, r, self.dropped[p as usize][r as usize])).filter(|x| x.2 > 0)
        })
    }
}
