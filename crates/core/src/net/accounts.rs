//! The books: what was dropped, and what became of memory that sockets are charged for.

use crate::sim::{Bin, Freed, Ledger, Owner, Packet, Place, Reason, Verdict};
use crate::tcp;

/// What happened to memory that a socket is charged for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charge {
    /// It was freed.
    Freed(Freed),
    /// A super-packet was cut into segments, which weigh this in its stead.
    Cut(Freed),
    /// It was given back, and the packet is still in the host (`skb_orphan_partial`).
    Returned(Freed),
    /// That packet has left the host, or was dropped; its memory was given back before.
    Left(Freed),
    /// It was freed within a call of the socket's that sends, which knows of it; nothing has left.
    Within,
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
        if f.owner == Owner::NONE {
            return;
        }
        self.charges.push(match f.owner.in_part() {
            Some(owner) => (owner, Charge::Left(f)),
            None if f.parts == 0 => (f.owner, Charge::Freed(f)),
            None => (f.owner, Charge::Cut(f)),
        });
    }

    /// The memory of `p` goes back to its socket; the packet that is held on in its stead.
    pub(super) fn orphan_in_part(&mut self, p: &Packet) -> Packet {
        if p.owner.is_charged() {
            self.charges.push((p.owner, Charge::Returned(p.into())));
        }
        Packet { owner: p.owner.orphaned_in_part(), ..*p }
    }

    /// What `p`, which a socket has just sent, weighs if it was cut since then (the first `before` charges are older). The socket has to know at
    /// once, for it may send more in the same call: what is told of the cut later changes no weight any more.
    pub(super) fn cut_since(&mut self, before: usize, p: &Packet) -> Option<u32> {
        let its = |c: &&mut (Owner, Charge)| matches!(c, (o, Charge::Cut(f)) if *o == p.owner && f.seq == p.seq);
        let (_, Charge::Cut(f)) = self.charges[before..].iter_mut().find(its)? else { return None };
        Some(core::mem::replace(&mut f.parts, f.truesize))
    }

    /// How much of its sender's memory was freed while `p` was sent (the first `before` charges are older). Linux frees what it drops, and
    /// what it lets go of, within that call, and the small queue is looked at again right after.
    pub(super) fn freed_since(&mut self, before: usize, p: &Packet, verdict: Verdict) -> u32 {
        let mut freed = 0;
        for (owner, charge) in &mut self.charges[before..] {
            let (Charge::Freed(f) | Charge::Returned(f)) = *charge else { continue };
            if *owner != p.owner {
                continue;
            }
            freed += f.truesize;
            // What was refused was never out, and what is orphaned in part still is: only what another had to go for has left.
            let itself = verdict == Verdict::Drop && f.seq == p.seq;
            let gone = matches!(charge, Charge::Freed(_)) && !itself;
            *charge = if gone { Charge::Left(f) } else { Charge::Within };
        }
        freed
    }

    /// Cuts a socket's super-packet into its segments.
    pub(super) fn segment(&mut self, p: &Packet, by: Cutter) -> tcp::Segments {
        self.ledger.made += u64::from(p.segs) - 1;
        let room = (by == Cutter::Stack).then_some(self.room);
        if p.segs > 1 && p.owner != Owner::NONE {
            self.credit(Freed::cut(p, tcp::weight(p, room), by == Cutter::Card));
        }
        // Of an skb that was orphaned in part the segments are nobody's.
        let owner = if p.owner.is_charged() { p.owner } else { Owner::NONE };
        tcp::segment(&Packet { owner, ..*p }, room)
    }
}

impl Bin for Accounts {
    fn drop(&mut self, p: Packet, place: Place, reason: Reason) {
        self.ledger.note(place, reason);
        self.credit(&p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn what_is_orphaned_in_part_leaves_later_and_its_segments_are_nobodys() {
        let mut a = Accounts::default();
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let p = Packet { owner: Owner(3), segs: 2, payload: 2_896, mss: 1_448, truesize: 4_000, ..blank };
        let held = a.orphan_in_part(&p);
        assert!(matches!(a.charges[..], [(Owner(3), Charge::Returned(f))] if f.truesize == 4_000));
        assert!(!held.owner.is_charged() && held.owner.in_part() == Some(Owner(3)));
        assert!(a.segment(&held, Cutter::Stack).all(|s| s.owner == Owner::NONE));
        assert!(matches!(a.charges[1..], [(Owner(3), Charge::Left(_))]));
        assert_eq!(a.freed_since(0, &p, Verdict::Ok), 4_000);
        assert!(matches!(a.charges[..], [(_, Charge::Within), (_, Charge::Left(_))]), "it has not left twice");
        a.charges.clear();
        assert_eq!(a.orphan_in_part(&blank).owner, Owner::NONE);
        assert!(a.charges.is_empty() && Owner::NONE.in_part().is_none());
    }

    #[test]
    fn what_was_refused_was_never_out_and_what_made_room_was() {
        let mut a = Accounts::default();
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let p = |owner, seq| Packet { owner: Owner(owner), seq, payload: 1_448, truesize: 2_304, ..blank };
        a.drop(p(3, 1_448), Place::Host, Reason::Overlimit);
        a.drop(p(3, 1_448), Place::Host, Reason::Overlimit);
        assert_eq!(a.freed_since(1, &p(3, 1_448), Verdict::Drop), 2_304);
        assert!(matches!(a.charges[..], [(_, Charge::Freed(_)), (_, Charge::Within)]));
        a.charges.clear();
        a.drop(p(2, 0), Place::Host, Reason::Overlimit);
        a.drop(p(3, 0), Place::Host, Reason::Overlimit);
        assert_eq!(a.freed_since(0, &p(3, 1_448), Verdict::Cn), 2_304, "another's memory is not the sender's");
        assert!(matches!(a.charges[..], [(Owner(2), Charge::Freed(_)), (_, Charge::Left(_))]));
    }
}
