//! CAKE's ACK filter: a TCP ACK that comes to its queue may make an older one there needless.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cake_ack_filter`, `cake_tcph_may_drop`, `cake_tcph_sack_compare`.
//! Differs: D1 packets here have no options but time stamps and SACK.

use super::super::pool::{List, Pool};
use crate::sim::seq::{after, before};
use crate::sim::{Kind, Packet, flags};

crate::choices! {
    /// Which older ACKs go. src: tc-cake(8)
    pub enum AckFilter {
        /// None.
        Disabled = "disabled",
        /// The older of two that the new one makes needless.
        Enabled = "enabled",
        /// Any that the new one makes needless.
        Aggressive = "aggressive",
    }
}

const ECN: u8 = flags::ECE | flags::CWR;

/// Whether `old` has nothing in it that `new`'s header has not. src: `cake_tcph_may_drop`
fn may_drop(old: &Packet, new: &Packet) -> bool {
    let stamps = old.tsval == 0 || !(after(old.tsval, new.tsval) || after(old.tsecr, new.tsecr));
    old.flags & !ECN == flags::ACK && stamps
}

/// Less: `old`'s SACK blocks tell what `new`'s do not. Greater: the other way. src: `cake_tcph_sack_compare`
fn compare_sacks(old: &Packet, new: &Packet) -> core::cmp::Ordering {
    use core::cmp::Ordering::{Equal, Greater, Less};
    let blocks = |p: &Packet| usize::from(p.n_sack);
    match (blocks(old), blocks(new)) {
        (0, 0) => return Equal,
        (_, 0) => return Less,
        (0, _) => return Greater,
        _ => {}
    }
    let (a, b) = (&old.sack[..blocks(old)], &new.sack[..blocks(new)]);
    let total: u32 = b.iter().map(|&(l, r)| r.wrapping_sub(l)).fold(0, u32::wrapping_add);
    let mut bytes = 0_u32;
    for &(start, end) in a {
        if before(start, old.ack) {
            return Less; // a DSACK
        }
        bytes = bytes.wrapping_add(end.wrapping_sub(start));
        if !b.iter().any(|&(l, r)| !after(l, start) && !before(r, end)) {
            return Less;
        }
    }
    if total > bytes { Greater } else { Equal }
}

/// The older ACK that the last packet of a queue makes needless, taken out. src: `cake_ack_filter`
pub fn filter(pool: &mut Pool, list: &mut List, new: &Packet, aggressive: bool) -> Option<Packet> {
    if list.len() < 2 || new.kind != Kind::Tcp || new.flags & (flags::ACK | flags::SYN) != flags::ACK {
        return None;
    }
    let mut found: Option<(Option<u32>, u32, u8)> = None;
    let (mut number, mut before_it) = (0, None);
    let last = list.len() - 1;
    for i in pool.places(list).take(last as usize) {
        let old = pool.get(i);
        let before = before_it.replace(i);
        if old.kind != Kind::Tcp || (old.flow, old.src, old.dst) != (new.flow, new.src, new.dst) {
            continue;
        }
        // What ECN says changed: the one before must stay.
        if found.is_some_and(|f| f.2 != old.flags & ECN) {
            found = None;
            number -= 1;
        }
        if !may_drop(old, new) || old.payload > 0 || after(old.ack, new.ack) {
            continue;
        }
        let sacks = compare_sacks(old, new);
        if sacks.is_lt() || (old.ack == new.ack && sacks.is_eq()) {
            continue;
        }
        if found.is_none() {
            found = Some((before, i, old.flags & ECN));
        }
        number += 1;
        if number > 1 {
            break;
        }
    }
    let (before, i, ecn) = found?;
    // One alone goes in aggressive mode if it is the new one's neighbour and says the same of ECN.
    let neighbour = before_it == Some(i) && ecn == new.flags & ECN;
    (number > 1 || (aggressive && neighbour)).then(|| pool.remove(list, before, i))
}

#[cfg(test)]
mod tests {
    use super::super::super::battery::packet;
    use super::*;
    use crate::sim::Time;

    fn ack(n: u32) -> Packet {
        let mut p = packet(1, 1, 0);
        (p.flags, p.ack, p.tsval, p.tsecr) = (flags::ACK, n, 5, 6);
        p
    }

    /// The ACK numbers that are left after each has come in turn.
    fn left(acks: &[Packet], aggressive: bool) -> Vec<u32> {
        let (mut pool, mut list) = (Pool::default(), List::default());
        for p in acks {
            pool.put(&mut list, p, Time::ZERO);
            filter(&mut pool, &mut list, p, aggressive);
        }
        core::iter::from_fn(|| pool.pop(&mut list)).map(|p| p.ack).collect()
    }

    #[test]
    fn the_oldest_goes_when_two_are_needless_or_one_in_aggressive_mode() {
        let four = [1, 2, 3, 4].map(ack);
        assert_eq!(left(&four, false), [3, 4], "two always stay");
        assert_eq!(left(&four, true), [4]);
    }

    #[test]
    fn what_tells_more_stays() {
        let mut sacked = ack(2);
        (sacked.n_sack, sacked.sack[0]) = (1, (10, 20));
        assert_eq!(
            left(&[ack(1), sacked, ack(2), ack(2)], true),
            [2, 2, 2],
            "SACK blocks, and what acknowledges the same"
        );
        let mut more = sacked;
        (more.ack, more.sack[0]) = (2, (10, 30));
        assert_eq!(left(&[sacked, more], true), [2], "a longer block over the same");
        let mut ece = ack(2);
        ece.flags |= flags::ECE;
        assert_eq!(left(&[ack(1), ece, ack(3)], true), [1, 2, 3], "ECN echo changed");
        let mut dsack = ack(2);
        (dsack.n_sack, dsack.sack[0]) = (1, (1, 2));
        assert_eq!(left(&[dsack, ack(3), ack(4), ack(5)], true), [2, 5]);
        let mut other = ack(1);
        other.flow.0 = 2;
        assert_eq!(left(&[other, ack(2), ack(3)], true), [1, 3]);
        let mut data = ack(2);
        data.payload = 100;
        assert_eq!(left(&[ack(1), data, ack(3)], true), [2, 3], "the data's own ACK makes the first needless");
    }
}
