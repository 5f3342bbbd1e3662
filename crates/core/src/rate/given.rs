//! Rates that a test gives, and what rate control would be told: for drivers that are driven by hand.

use super::{Choice, Control, Went};
use crate::phy::Mode;
use crate::sim::Time;
use crate::wifi::{Attempt, Chain, Mark, StaIx};
use core::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::sync::Arc;

/// What rate control was told of a unit: to whom, its chain, the link and the tries of the last transmission, frames, and such
/// as were not acknowledged.
pub type Told = (StaIx, Chain, u8, u8, u16, u16);

/// A table of rates by station; a frame bears what it tries out from the start.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// By station.
    pub tables: Vec<Choice>,
    /// What frames try out, by their mark less one.
    pub probes: Vec<Mode>,
    /// The mark of the packet that was pulled last, for drivers that ask as a frame comes down.
    pub pulled: Arc<AtomicU16>,
    /// What it was told, in order.
    pub told: Vec<Told>,
}

impl Control for Given {
    fn frame(&mut self, _: Time, _: StaIx) -> Mark {
        Mark(self.pulled.load(Relaxed))
    }
    /// A probe takes the first link, once (`ath_merge_ratetbl`).
    fn choose(&mut self, _: Time, to: StaIx, mark: Mark) -> Choice {
        let mut c = self.tables[to.ix()];
        if mark.probes() {
            c.chain[0] = Attempt { mode: self.probes[usize::from(mark.0) - 1], tries: 1 };
            (c.first_rts, c.probe) = (1, true);
        }
        c
    }
    fn report(&mut self, _: Time, to: StaIx, w: &Went<'_>) {
        self.told.push((to, *w.chain, w.report.link, w.report.tries, w.frames, w.bad));
    }
}
