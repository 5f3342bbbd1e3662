//! The books: what was dropped, and what became of memory that sockets are charged for.

use crate::sim::{Bin, Freed, Ledger, Owner, Packet, Place, Reason};
use crate::tcp;

/// What happened to memory that a socket is charged for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charge {
    /// It was freed.
    Freed(Freed),
    /// A super-packet was cut into segments, which weigh this in its stead.
    Cut(Freed),
}

/// Who cuts a super-packet up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cutter {
    /// The card (TSO).
    Card,
    /// A discipline above a device that gathers pieces.
    Discipline,
    /// The stack, before a device that does not.
    Stack,
}

/// What was dropped and what was freed since the world last looked.
#[derive(Clone, Default)]
pub(super) struct Accounts {
    pub(super) ledger: Ledger,
    /// Packets that went into another one (GRO): less of those that were made, wherever that was.
    pub(super) merged: u64,
    /// What became of sockets' memory, in order.
    pub(super) charges: Vec<(Owner, Charge)>,
    /// Room for headers in sockets' packets ([`head_room`](crate::tcp::head_room)).
    pub(super) room: u32,
}

impl Accounts {
    pub(super) fn credit(&mut self, f: impl Into<Freed>) {
        let f: Freed = f.into();
        if f.owner != Owner::NONE {
            self.charges.push((f.owner, if f.parts == 0 { Charge::Freed(f) } else { Charge::Cut(f) }));
        }
    }

    /// What `p`, which a socket has just sent, weighs if it was cut since then (the first `before` charges are older). The socket has to know at
    /// once, for it may send more in the same call: what is told of the cut later changes no weight any more.
    pub(super) fn cut_since(&mut self, before: usize, p: &Packet) -> Option<u32> {
        let its = |c: &&mut (Owner, Charge)| matches!(c, (o, Charge::Cut(f)) if *o == p.owner && f.seq == p.seq);
        let (_, Charge::Cut(f)) = self.charges[before..].iter_mut().find(its)? else { return None };
        Some(core::mem::replace(&mut f.parts, f.truesize))
    }

    /// Cuts a socket's super-packet into its segments.
    pub(super) fn segment(&mut self, p: &Packet, by: Cutter) -> impl Iterator<Item = Packet> + use<> {
        self.ledger.made += u64::from(p.segs) - 1;
        let room = (by == Cutter::Stack).then_some(self.room);
        if p.segs > 1 && p.owner != Owner::NONE {
            self.credit(Freed::cut(p, tcp::weight(p, room), by == Cutter::Card));
        }
        tcp::segment(p, room)
    }
}

impl Bin for Accounts {
    fn drop(&mut self, p: Packet, place: Place, reason: Reason) {
        self.ledger.note(place, reason);
        self.credit(&p);
    }
}
