//! What a device says of itself: its disciplines, TXQs, airtime and rates.

use super::{Netdev, each};
use crate::driver::Name;
use crate::mac80211::{self, Txqs};
use crate::net::state::{AirtimeState, PhyState, QdiscState, RadioState, StationState, TxqState};
use crate::rate::Rates;
use crate::sim::NodeId;
use crate::wifi::{Device, StaIx, Tid};

impl Netdev {
    /// Its disciplines and its state, but for what stands above the driver on the way up. `driver`: its name; `of`: whose it is; `peers`: those it knows.
    pub fn state(&self, driver: Name, of: NodeId, peers: &[NodeId]) -> (Vec<QdiscState>, RadioState) {
        let (txqs, qdiscs, cut, fifo) = match self {
            Netdev::Ath9k(q, _) | Netdev::Iwlwifi(q, _) => (Some(&**q), Vec::new(), 0, 0),
            Netdev::Ath9kTidq(q, _) | Netdev::Ath9kHtc(q, _) | Netdev::Ath10k(q, _) | Netdev::Mt76(q, _) => {
                (q.txqs_above(), q.disciplines(), q.rest(), 0)
            }
            Netdev::Linksys(q, _) => (None, Vec::new(), 0, q.packets()),
        };
        let (holds, held, received) = each!(self, _, d => (d.holds(), d.held(), d.held_up()));
        // ath10k's firmware agrees on Block Ack without mac80211. iwlwifi's does it for what is sent, and mac80211 hears of it.
        let own = matches!(self, Netdev::Ath9k(..) | Netdev::Ath9kHtc(..) | Netdev::Mt76(..) | Netdev::Iwlwifi(..));
        let session =
            |to: StaIx, tid: u8| own && holds.tids.iter().any(|t| (t.to, t.tid.get(), t.agreement) == (to, tid, true));
        let stations = (peers.iter().enumerate().filter(|&(_, &p)| p != of))
            .map(|(i, &peer)| StationState {
                peer,
                txqs: txqs.map_or_else(Vec::new, |q| {
                    (0..Tid::COUNT as u8).map(|t| txq(q, i as u16, t, session(StaIx(i as u8), t))).collect()
                }),
                airtime: txqs.map(|q| airtime(q, i as u16)),
                rates: self.rates().and_then(|r| r.rc_stats(StaIx(i as u8))),
            })
            .collect();
        let phy = txqs.map(phy);
        let radio = RadioState {
            driver: driver.name(),
            peers: peers.to_vec(),
            phy,
            stations,
            holds,
            cut,
            joined: txqs.map_or(0, |q| q.fair_queue().joined().into()),
            fifo,
            held,
            received,
            reorder: 0,
            tao: 0,
        };
        (qdiscs, radio)
    }
    /// What knows the peers' rates; ath9k_htc's firmware does.
    fn rates(&self) -> Option<&Rates> {
        match self {
            Netdev::Ath9k(_, d) => Some(d.rates()),
            Netdev::Ath9kTidq(_, d) => Some(d.rates()),
            Netdev::Ath9kHtc(..) => None,
            Netdev::Ath10k(_, d) => Some(d.rates()),
            Netdev::Mt76(_, d) => Some(d.rates()),
            Netdev::Iwlwifi(_, d) => Some(d.rates()),
            Netdev::Linksys(_, d) => Some(d.rates()),
        }
    }
}

/// A TXQ.
fn txq(q: &Txqs, sta: u16, tid: u8, ampdu: bool) -> TxqState {
    let t = q.tin(sta, tid);
    TxqState {
        tid,
        ac: mac80211::ac_of(tid),
        backlog_bytes: t.bytes,
        backlog_packets: t.packets.into(),
        new_flows: t.flows,
        drops: t.drops,
        marks: t.marks,
        overlimit: t.overlimit,
        collisions: t.collisions,
        tx_bytes: t.tx_bytes,
        tx_packets: t.tx_packets,
        ampdu,
    }
}

/// A peer's airtime.
fn airtime(q: &Txqs, sta: u16) -> AirtimeState {
    let accounts: [_; 4] = core::array::from_fn(|ac| q.account(sta, ac as u8));
    AirtimeState {
        rx: accounts.iter().map(|a| a.rx).sum(),
        tx: accounts.iter().map(|a| a.tx).sum(),
        weight: q.scheduler().weight(sta),
        deficit: accounts.map(|a| a.deficit),
        pending: accounts.map(|a| a.pending),
    }
}

/// A device's TXQs as a whole.
fn phy(q: &Txqs) -> PhyState {
    let (f, s) = (q.fair_queue(), q.scheduler());
    let (limit, memory_limit, quantum) = f.limits();
    PhyState {
        fq: vec![
            ("fq_flows_cnt", f.table().into()),
            ("fq_backlog", f.packets.into()),
            ("fq_overlimit", f.overlimit),
            ("fq_overmemory", f.overmemory),
            ("fq_collisions", f.tins.iter().map(|t| t.collisions).sum()),
            ("fq_memory_usage", f.memory),
            ("fq_memory_limit", memory_limit),
            ("fq_limit", limit.into()),
            ("fq_quantum", quantum as u64),
        ],
        aql: s.aql(),
        pending: s.pending(),
        fair: s.is_fair(),
    }
}
