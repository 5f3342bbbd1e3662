//! What the kernel reads off an skb and every queue needs: flow hash, priority, congestion mark.
//!
//! Stands for: `skb_get_hash`, `rt_tos2priority`, `INET_ECN_set_ce`. Differs: D1 the hash is a seeded mix of the flow's
//! number, its direction and what it carries, not siphash or jhash of addresses and ports; equally even, so that two
//! flows collide as often. On its own host an skb has its socket's hash (`skb_set_hash_from_sk`), which changes
//! with every RTO ([`Packet::txhash`]), so that what is sent again then stands in another queue than what it follows.

use crate::sim::{Ecn, Packet};

/// The flow hash of a packet. src: linux@6.12 net/core/flow_dissector.c `__skb_get_hash`
#[inline]
pub fn hash(seed: u32, p: &Packet) -> u32 {
    let tuple = u64::from(p.flow.0)
        | u64::from(p.src.0) << 16
        | u64::from(p.dst.0) << 32
        | u64::from(p.kind as u8) << 48
        | u64::from(p.txhash) << 56;
    hash_of(seed, tuple)
}

/// The hash of whatever these bits tell apart.
#[inline]
pub fn hash_of(seed: u32, bits: u64) -> u32 {
    // SplitMix64's finalizer over the fields that tell a five-tuple from others.
    let mut h = bits ^ (u64::from(seed) << 32 | u64::from(!seed)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((h ^ (h >> 31)) >> 32) as u32
}

/// Scales a 32-bit value into `0..n`. src: linux@6.12 include/linux/math.h `reciprocal_scale`
#[inline]
pub const fn reciprocal_scale(val: u32, n: u32) -> u32 {
    ((val as u64 * n as u64) >> 32) as u32
}

/// The priority that IP gives a packet, 0..=15. src: linux@6.12 net/ipv4/route.c `ip_tos2prio`, include/net/route.h
/// `rt_tos2priority`
#[inline]
pub const fn priority(dscp: u8) -> u8 {
    // BESTEFFORT, BULK, INTERACTIVE, INTERACTIVE_BULK, each for four neighbouring values of the four TOS bits.
    const TOS2PRIO: [u8; 16] = [0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4];
    TOS2PRIO[((dscp << 2 & 0x1e) >> 1) as usize]
}

/// The band of a priority: 0 leaves first. src: linux@6.12 net/sched/sch_generic.c `sch_default_prio2band`
pub const PRIO2BAND: [u8; 16] = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/// Marks a packet "congestion experienced"; false if its transport is not capable of ECN.
/// src: linux@6.12 include/net/inet_ecn.h `INET_ECN_set_ce`
#[inline]
pub fn set_ce(p: &mut Packet) -> bool {
    match p.ecn {
        Ecn::NotEct => false,
        Ecn::Ect0 | Ecn::Ce => {
            p.ecn = Ecn::Ce;
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn priorities_of_the_marks_in_use() {
        // By hand from rt_tos2priority: IPTOS_TOS_MASK 0x1e keeps the three low bits of the DSCP only.
        let table =
            [("CS0", 0, 0), ("CS1", 8, 0), ("CS5", 40, 0), ("EF", 46, 4), ("lowdelay 0x10", 4, 6), ("0x08", 2, 2)];
        for (name, dscp, prio) in table {
            assert_eq!(priority(dscp), prio, "{name}");
        }
    }

    #[test]
    fn a_socket_that_draws_another_hash_moves_and_comes_back_to_its_headers_behind_a_card() {
        let p = Packet::blank(Kind::Tcp, FlowId(3), NodeId(1), NodeId(2));
        let drawn: std::collections::HashSet<u32> = (0..200).map(|txhash| hash(1, &Packet { txhash, ..p })).collect();
        assert_eq!(drawn.len(), 200);
        assert!(drawn.contains(&hash(1, &p)));
    }

    #[test]
    fn hashes_are_even() {
        let mut n = [0u32; 64];
        for flow in 0..6400 {
            let p = Packet::blank(Kind::Tcp, FlowId(flow), NodeId(1), NodeId(2));
            n[reciprocal_scale(hash(1, &p), 64) as usize] += 1;
        }
        assert!(n.iter().all(|&k| (60..145).contains(&k)), "{n:?}");
    }
}
