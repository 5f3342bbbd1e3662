//! What of mac80211's queues differs between kernels, as far as it moves results.
//!
//! Read in the sources of 3.18.117, 4.9.115, 4.19.108, 5.4.18, 5.10.13, 5.15.148, 6.1.192, 6.6.129 and 6.12 (net/mac80211/{tx.c,sta_info.c}, include/net/fq_impl.h,
//! drivers/net/wireless/ath/ath9k/xmit.c); where a commit is not named, a difference is placed by those trees.
//! TCP's table is `tcp/profile/mod.rs`, rate control's [`minstrel_ht`](crate::rate::minstrel_ht), the qdiscs'
//! [`qdisc::Old`](crate::qdisc::Old).
//!
//! Differs: D1 6.1's CoDel is that of 6.1.192, as in [`qdisc::Old`](crate::qdisc::Old). D2 before 5.14 a frame that is a probe is chosen as it enters the TXQ (`ieee80211_xmit_fast`): ath9k's is, mt76's as it leaves it.
//! D3 kernels of 5.12 to 5.19 are taken to be as 5.15, the one of them that was read. D4 flows are told apart by jhash, siphash or the skb's own hash, by
//! age: one random placing is as good as another. D5 ath10k had a round of its own until 5.0; here it has mac80211's. D6 4.14 is taken to be as 4.19, whose code was read.

use crate::sim::Series;

/// Who pays where the fair queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pays {
    /// The fattest flow's first packet; of equally fat ones that which grew last, then that which shrank first (a list is kept in order).
    One,
    /// Half of the fattest flow, up to 32 packets (`fq_flow_drop`; "net/fq_impl: bulk-free packets from a flow on overmemory", after 5.10).
    #[default]
    Half,
}

/// Whose turn it is under airtime fairness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Turns {
    /// ath9k's own lists of new and old TIDs (4.11 to 4.20): [`own`](super::own).
    Driver,
    /// mac80211's list (5.0): a TXQ leaves it when it is empty and keeps its debt, whenever that was; what AQL estimates to be in the device does
    /// not count, nor bounds it how much a category's stations have there together.
    Owed,
    /// By virtual time: who has used less than its share of what the active stations have used together (5.15):
    /// [`vtime`](super::vtime).
    Virtual,
    /// As `Owed`; a station in debt stays on the list, is charged only within 100 ms of its last packet, and owes what
    /// is in the device, too (6.0: "mac80211: rework the airtime fairness implementation" and the two patches before
    /// it).
    #[default]
    Kept,
}

/// mac80211's queues of one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// Who pays.
    pub pays: Pays,
    /// Whose turn it is.
    pub turns: Turns,
    /// A station of which rate control expects less than 6 Mbit/s a station gets 50 ms of CoDel's target, 300 ms of its interval, and no ECN (4.12,
    /// 484a54c2e597; in 6.6, not in 6.12).
    pub slow_stations: bool,
    /// CoDel keeps the time since which a flow is late though it ran empty, which its last packet resets unless the full queue dropped it
    /// (all but 6.1.192 and 6.12.117, both of 2026).
    pub codel_keeps_above: bool,
    /// Frames outside agreements have the protection that mac80211 decides for each frame: RTS by the threshold, CTS beside 802.11b
    /// stations. Since 5.17 ath9k takes rates from the station's table, where neither stands ("ath9k: switch to rate table based
    /// lookup"; xmit.c `ath_merge_ratetbl`).
    pub frame_protection: bool,
}

/// 4.10, the first of ath9k, to 4.20.
pub static V4_14: Profile = Profile {
    pays: Pays::One,
    turns: Turns::Driver,
    slow_stations: true,
    codel_keeps_above: true,
    frame_protection: true,
};
/// 5.0 to 5.11.
pub static V5_4: Profile = Profile { turns: Turns::Owed, ..V4_14 };
/// 5.15's, until 6.0 went back to deficits.
pub static V5_15: Profile = Profile { pays: Pays::Half, turns: Turns::Virtual, ..V5_4 };
/// 6.0 to 6.6, as long as slow stations had a CoDel of their own (`sta_update_codel_params`: gone by 6.12).
pub static V6_6: Profile = Profile { turns: Turns::Kept, frame_protection: false, ..V5_15 };
/// 6.1.192.
pub static V6_1: Profile = Profile { codel_keeps_above: false, ..V6_6 };
/// Today's.
pub static V6_12: Profile = Profile { slow_stations: false, ..V6_1 };

impl Profile {
    /// The kernel's of this series. What has no such queues (3.10, 3.18) has the first that there were.
    pub const fn of(kernel: Series) -> &'static Profile {
        match kernel {
            (..=4, _) => &V4_14,
            (5, ..=11) => &V5_4,
            (5, _) => &V5_15,
            (6, 1) => &V6_1,
            (6, ..=6) => &V6_6,
            _ => &V6_12,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_its_queues() {
        use Turns::{Driver, Kept, Owed, Virtual};
        let all: Vec<_> = crate::scenario::keys::Kernel::ALL.iter().map(|k| Profile::of(k.series()).turns).collect();
        assert_eq!(all, [Driver, Driver, Driver, Driver, Owed, Owed, Owed, Virtual, Kept, Kept, Kept]);
        assert_eq!(V6_12, Profile::default());
    }
}
