//! ACKs that wait for the medium are taken out of the transmit queues again: what opportunistic TCP/HACK asks of a driver.
//!
//! Stands for: thesis section 3.3.2.1, which leaves it at "the complexity of the NIC-network driver interface needed". Frames that
//! were on the air stay. Those that only stand in the hardware queue lose their sequence numbers, which are the last that were given.
//! Differs: D1 the NIC gives them back and has them compressed within SIFS: the best that the policy could be.

use super::{Ath9k, Txqs};
use crate::sim::{Packet, Time};
use crate::wifi::{Mark, Mpdu, Sink, StaIx, What};

impl Ath9k {
    /// Gives up pure ACKs for the access point, oldest first, as long as `takes` takes them. `tried`: a bit for each category
    /// whose head was on the air.
    pub fn seize(
        &mut self,
        now: Time,
        tried: u8,
        q: &mut Txqs,
        mut takes: impl FnMut(&Packet) -> bool,
        sink: &mut Sink<'_>,
    ) {
        for i in 0..self.tids.len() {
            let t = &self.tids[i];
            if t.to == StaIx::AP {
                self.seize_tid(now, i, tried, q, &mut takes, sink);
            }
        }
    }
    fn seize_tid(
        &mut self,
        now: Time,
        i: usize,
        tried: u8,
        q: &mut Txqs,
        takes: &mut impl FnMut(&Packet) -> bool,
        sink: &mut Sink<'_>,
    ) {
        let (to, tid) = (self.tids[i].to, self.tids[i].tid);
        let ac = self.category(tid);
        let active = self.tids[i].active;
        // What was never on the air, from the first such burst on: all of it goes back to be sent again or to ride.
        let fresh = |m: &Mpdu| m.attempts == 0 && m.packet.is_pure_ack();
        let hw = &mut self.hw[ac.ix()];
        let untried = |b: &crate::wifi::Burst| {
            b.to == to
                && b.tid == tid
                && b.agreement == active
                && !matches!(b.what, What::Bar(_))
                && b.mpdus.iter().all(fresh)
        };
        let keep = hw.queue.len() - hw.queue.iter().rev().take_while(|b| untried(b)).count();
        let keep = keep.max(usize::from(tried >> ac.ix() & 1)); // a head that has collided is on its way
        let t = &mut self.tids[i];
        let behind = t.retry.iter().all(fresh);
        if !behind {
            return;
        }
        let mut back = core::mem::take(&mut self.failed);
        while let Some(mut b) = hw.remove(keep) {
            back.append(&mut b.mpdus);
            self.pool.push(b);
        }
        back.extend(t.retry.drain(..));
        // ath9k turns its retry queue round where the hardware has no room: the last number first.
        let next = t.window.next();
        back.sort_unstable_by_key(|m| core::cmp::Reverse(next.ahead_of(m.seq)));
        back.iter().rev().for_each(|m| t.window.unassign(m.seq));
        let mut taking = true;
        for m in back.drain(..) {
            taking = taking && takes(&m.packet);
            if taking {
                sink.free(&m.packet);
            } else {
                t.retry.push_back(Mpdu { seq: t.window.assign(), ..m });
            }
        }
        self.failed = back;
        while taking && q.has_frames(u16::from(to.0), tid.get()) {
            let Some(k) = q.pull(now, u16::from(to.0), tid.get(), sink) else { break };
            let packet = *q.pulled(k);
            q.release(k);
            taking = packet.is_pure_ack() && takes(&packet);
            if taking {
                sink.free(&packet);
            } else {
                let len = self.framing.mpdu_len(packet.ip_len());
                let mark = self.rates.leaves(now, to, Mark(packet.mark));
                let seq = t.window.assign();
                t.retry.push_back(Mpdu { packet, seq, len, attempts: 0, received: false, more: 0, mark });
            }
        }
        if !t.retry.is_empty() {
            q.schedule_txq(now, u16::from(to.0), tid.get());
            self.schedule(now, ac, q, sink);
        }
    }
}
