//! What stands above ath10k and mt76, as their drivers ask for it: turns of TXQs with AQL's charges, or a qdisc a category.
//!
//! Stands for: linux@6.12 net/mac80211/tx.c ieee80211_tx_dequeue (the charge), status.c ieee80211_report_used_skb and
//! ieee80211_tx_status_ext (its end); drivers/net/wireless/ath/ath10k/mac.c ath10k_mac_update_airtime.

use super::{Queued, Queues};
use crate::driver::offload::Above;
use crate::mac80211::estimate;
use crate::phy::Mode;
use crate::sim::{Packet, Span, Time};
use crate::wifi::{Ac, Sink, StaIx, Tid};

/// What ath10k's estimate of airtime adds to each frame, us. src: IEEE80211_ATF_OVERHEAD_IFS
const IFS: u16 = 16;
/// src: ath10k_mac_update_airtime, `pktlen = skb->len + 38`
const HEADER: u32 = 38;

/// The TID for which mt76 registers a category's airtime, voice first. src: mt7915/mac.c mt7915_mac_sta_poll `ac_to_tid`
const TID_OF: [u8; Ac::COUNT] = [6, 4, 0, 1];

/// The rate of a mode as ath10k has it, in 100 kbit/s: that of the long guard interval, as it is asked for before the short one is noted, and with
/// 802.11b and 802.11a the number of Mbit/s, for a tenth of the rate. src: linux@6.12 ath10k/htt_rx.c ath10k_update_per_peer_tx_stats
/// (`last_tx_bitrate`, `txrate.legacy`; the same since 5.5); net/wireless/util.c cfg80211_calculate_bitrate
fn last_tx_bitrate(mode: Mode) -> u32 {
    match mode {
        Mode::Dsss(h) => (h.rate.bps() / 1_000_000) as u32,
        Mode::Ofdm(r) => r.mbit() as u32,
        Mode::Ht(h) => h.bits_per_symbol() * 10 / 4,
        // Of one stream, rounded, times the streams.
        Mode::Vht(v) => (v.bits_per_symbol() * 10 + 2 * v.streams()) / (4 * v.streams()) * v.streams(),
        Mode::He(_) => (mode.rate().bps() / 100_000) as u32, // which it has not
    }
}

/// Airtime that the driver registers for a frame when it is completed, which it keeps in 16 bits. src: ath10k_mac_update_airtime
fn registered(mode: Mode, len: u32) -> Span {
    let us = (len + HEADER) * 80 / last_tx_bitrate(mode);
    Span::from_us(i64::from((us as u16).wrapping_add(IFS)))
}

impl Above for Queues {
    fn start(&mut self, ac: Ac) {
        match &mut self.kind {
            Queued::Qdiscs(_) => self.begun &= !(1 << ac.ix()),
            Queued::Txqs(q, _) => q.schedule_start(ac as u8),
        }
    }
    fn turn(&mut self, _now: Time, ac: Ac) -> bool {
        match &mut self.kind {
            Queued::Qdiscs(_) => {
                let bit = 1 << ac.ix();
                let first = self.begun & bit == 0;
                self.begun |= bit;
                first
            }
            Queued::Txqs(q, turns) => {
                turns[ac.ix()] = q.next_txq(ac as u8);
                turns[ac.ix()].is_some()
            }
        }
    }
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)> {
        match &mut self.kind {
            Queued::Qdiscs(q) => {
                let p = q[ac.ix()].dequeue(now, sink, &mut self.cut)?;
                Some((p, self.hops.of(&p), self.tid(&p), Span::ZERO))
            }
            Queued::Txqs(q, turns) => {
                let (sta, tid) = turns[ac.ix()].expect("a turn is on");
                let p = q.dequeue(now, sta, tid, sink)?;
                let len = q.frame_len(&p);
                let expected = match q.has_aql() {
                    true => estimate::airtime(self.modes[usize::from(sta)], len, ac != Ac::Vo),
                    false => Span::ZERO,
                };
                let charged = q.aql_charge(sta, tid, expected);
                Some((p, StaIx(sta as u8), Tid::new(tid), charged))
            }
        }
    }
    fn give_back(&mut self, now: Time, ac: Ac) {
        if let Queued::Txqs(q, turns) = &mut self.kind {
            let (sta, tid) = turns[ac.ix()].take().expect("a turn is on");
            q.return_txq(now, sta, tid, false);
        }
    }
    fn completed(&mut self, now: Time, p: &Packet, to: StaIx, tid: Tid, charged: Span) {
        if let Queued::Txqs(q, _) = &mut self.kind {
            let sta = u16::from(to.0);
            q.register_airtime(now, sta, tid.get(), registered(self.modes[to.ix()], q.frame_len(p)), Span::ZERO);
            q.aql_done(sta, tid.get(), charged);
        }
    }
    fn sent_at(&mut self, to: StaIx, mode: Mode) {
        self.modes[to.ix()] = mode;
    }
    fn freed(&mut self, to: StaIx, tid: Tid, charged: Span) {
        if let Queued::Txqs(q, _) = &mut self.kind {
            q.aql_done(u16::from(to.0), tid.get(), charged);
        }
    }
    fn spent(&mut self, now: Time, sta: StaIx, ac: Ac, tx: Span, rx: Span) {
        if let Queued::Txqs(q, _) = &mut self.kind {
            q.register_airtime(now, u16::from(sta.0), TID_OF[ac.ix()], tx, rx);
        }
    }
    /// A netdev queue that is not stopped has been emptied already.
    fn polls(&self) -> bool {
        matches!(self.kind, Queued::Txqs(..))
    }
    fn resumes(&self, pending: u16, most: u16) -> bool {
        match self.kind {
            Queued::Qdiscs(_) => pending < most,
            Queued::Txqs(..) => pending < most / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::modes;
    use crate::qdisc::vectors::Fold;

    /// Every mode that ath10k has, packets of 20 to 2399 bytes: what net/wireless/util.c of linux@6.12 itself gave, compiled outside the kernel.
    #[test]
    fn airtime_is_the_kernels() {
        let all = |modes: Vec<Mode>| {
            let mut sum = Fold::default();
            for mode in modes {
                (0..40).for_each(|i| sum.add(registered(mode, 20 + i * 61).us() as u64));
            }
            sum
        };
        let legacy = modes::dsss().into_iter().chain(modes::ofdm()).collect();
        assert_eq!(all(legacy), Fold(600, 12_505_474_960_122_798_436));
        assert_eq!(all(modes::ht()), Fold(5120, 1_922_519_385_246_393_900));
        assert_eq!(all(modes::vht()), Fold(12_400, 8_819_572_198_425_777_642));
    }
}
