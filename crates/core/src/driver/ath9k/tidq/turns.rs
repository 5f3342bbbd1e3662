//! Whose turn it is: stations in a round, and within a station its TIDs of the category.
//!
//! Stands for: linux@3.18 drivers/net/wireless/ath/ath9k/xmit.c ath_tx_queue_tid, `struct ath_atx_ac`, and the lists that
//! ath_txq_schedule walks.

use crate::wifi::{StaIx, Tid};
use std::collections::VecDeque;

/// One station in one category (`struct ath_atx_ac`).
#[derive(Clone, Debug, Default)]
struct Station {
    /// It stands in the round.
    queued: bool,
    tids: VecDeque<Tid>,
}

/// The round of one category.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    round: VecDeque<StaIx>,
    stations: Vec<Station>,
}

impl Turns {
    pub fn new(peers: u8) -> Turns {
        let stations = vec![Station { queued: false, tids: VecDeque::with_capacity(4) }; peers.into()];
        Turns { round: VecDeque::with_capacity(peers.into()), stations }
    }
    /// A TID joins at the end, unless it waits already (`ath_tx_queue_tid`).
    pub fn queue(&mut self, sta: StaIx, tid: Tid) {
        let s = &mut self.stations[sta.ix()];
        if s.tids.contains(&tid) {
            return;
        }
        s.tids.push_back(tid);
        self.again(sta);
    }
    /// A TID that was taken goes back to where it was: it is the next.
    pub fn queue_first(&mut self, sta: StaIx, tid: Tid) {
        let s = &mut self.stations[sta.ix()];
        s.tids.push_front(tid);
        s.queued = true;
        self.round.push_front(sta);
    }
    /// A station with TIDs that does not stand in the round joins it at the end.
    pub fn again(&mut self, sta: StaIx) {
        let s = &mut self.stations[sta.ix()];
        if !s.tids.is_empty() && !s.queued {
            s.queued = true;
            self.round.push_back(sta);
        }
    }
    /// Takes the station that is next.
    pub fn next_station(&mut self) -> Option<StaIx> {
        let sta = self.round.pop_front()?;
        self.stations[sta.ix()].queued = false;
        Some(sta)
    }
    /// The station at the end of the round.
    pub fn last(&self) -> Option<StaIx> {
        self.round.back().copied()
    }
    /// Takes the next TID of a station.
    pub fn next_tid(&mut self, sta: StaIx) -> Option<Tid> {
        self.stations[sta.ix()].tids.pop_front()
    }
    /// The last TID of a station.
    pub fn last_tid(&self, sta: StaIx) -> Option<Tid> {
        self.stations[sta.ix()].tids.back().copied()
    }
}
