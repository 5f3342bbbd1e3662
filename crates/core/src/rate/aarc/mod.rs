//! AARC: AASRC whose receiver says how the channel is, so that a rate that was barred is probed at once when the channel has become better.
//!
//! Stands for: A. Zhushi's thesis, sections 5.6, 5.7 and 5.8.4 (feedback by UDP over another radio; in the Block Ack, nine bits a stream); `aarc_snr`
//! is its variant with plain SNR (5.9.6). What it leaves open is decided in docs/mechanisms/aarc.md. The state machine is
//! [`aasrc`](super::aasrc)'s.
//! Differs: D1 the receiver reports PPDUs to which its sender gets an answer in the end, and of a unit that is tried again the last; D2 nine bits ride
//! for one stream, and their time on the air (0.375 us) is not charged; D3 64 reports are on their way at most, of a link.

use crate::phy::Mode;
use crate::phy::channel::{Feedback, modulation};
use crate::sim::{Span, Stream, Time};
use wavetank_csi::{FeedbackBits, Modulation};

crate::choices! {
    /// How feedback comes back.
    pub enum Carrier {
        /// By UDP over another radio, with delay and loss.
        Udp = "udp",
        /// In the Block Ack.
        BlockAck = "block_ack",
    }
}

crate::params! {
    /// `[aarc]`: what AARC has beside `[aasrc]`.
    pub struct Params {
        /// In the place of `aasrc.max_backoff`.
        max_backoff: Span = Span::from_ms(256), in Span::from_ms(1) => Span::from_ms(4096), src "thesis figure 5.11";
        /// What lifts a bar: more than so many dB above the value at the failure.
        threshold: f64 = 1.0, in 0.0 => 40.0, unit "dB", src "thesis figure 5.10";
        /// How feedback comes back.
        feedback: Carrier = Carrier::Udp, src "thesis 5.8.4";
        /// Of feedback by UDP: from the end of the PPDU to the access point's kernel.
        delay: Span = Span::from_ms(2), in Span::ZERO => Span::from_s(1), src "this project: netlink, daemon, an idle 2.4 GHz network and back";
        /// Of feedback by UDP: how much is lost.
        loss: f64 = 0.0, in 0.0 => 1.0, src "this project: UDP with the radio's own retries";
        /// Feedback that comes later than this is dropped.
        max_age: Span = Span::from_ms(250), in Span::from_ms(1) => Span::from_s(10), src "this project, docs/mechanisms/aarc.md";
    }
}

/// Feedback on its way, and what came last.
#[derive(Clone, Debug)]
pub struct Guide {
    par: Params,
    by_snr: bool,
    /// In the order of arrival.
    on_the_way: std::collections::VecDeque<Told>,
    last: [Option<i32>; 5],
    rng: Stream,
}

/// A value by modulation, and the SNR's; 1/100 dB.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    measured: Time,
    at: Time,
    values: [Option<i32>; 5],
}

impl Told {
    /// The end of the PPDU that it is of.
    pub fn measured(&self) -> Time {
        self.measured
    }
}

/// The most that is on its way at a time; more is lost.
const MOST: usize = 64;
const SNR: usize = 4;

impl Guide {
    /// `by_snr`: compares plain SNR.
    pub fn new(p: &Params, by_snr: bool, rng: Stream) -> Guide {
        let on_the_way = std::collections::VecDeque::with_capacity(MOST);
        Guide { par: *p, by_snr, on_the_way, last: [None; 5], rng }
    }
    /// The longest back-off.
    pub fn max_backoff(&self) -> Span {
        self.par.max_backoff
    }
    /// 1/100 dB.
    pub fn threshold(&self) -> i32 {
        libm::rint(self.par.threshold * 100.0) as i32
    }
    /// A PPDU was received, and this is what its receiver says; `higher`: the mode above the PPDU's.
    pub fn sent(&mut self, now: Time, higher: Mode, answered: bool, f: &Feedback) {
        if self.on_the_way.len() == MOST {
            return;
        }
        let all = [f.esnr[0], f.esnr[1], f.esnr[2], f.esnr[3], f.snr].map(|v| Some(i32::from(v)));
        let (at, values) = match self.par.feedback {
            Carrier::Udp if self.rng.chance(self.par.loss) || self.par.delay > self.par.max_age => return,
            Carrier::Udp => (now + self.par.delay, all),
            Carrier::BlockAck if !answered => return,
            Carrier::BlockAck => {
                let only = if self.by_snr { SNR } else { index(higher) };
                let mut one = [None; 5];
                one[only] = all[only].map(|v| FeedbackBits::of_db(f64::from(v) / 100.0).centi_db());
                (now, one)
            }
        };
        self.on_the_way.push_back(Told { measured: now, at, values });
    }
    /// The next that has arrived by now.
    pub fn arrived(&mut self, now: Time) -> Option<Told> {
        self.on_the_way.front().filter(|t| t.at <= now)?;
        let told = self.on_the_way.pop_front()?;
        for (last, value) in self.last.iter_mut().zip(told.values) {
            *last = value.or(*last);
        }
        Some(told)
    }
    /// What it says of a mode.
    pub fn of(&self, told: &Told, mode: Mode) -> Option<i32> {
        told.values[self.which(mode)]
    }
    /// The last that was said of a mode.
    pub fn last(&self, mode: Mode) -> Option<i32> {
        self.last[self.which(mode)]
    }
    fn which(&self, mode: Mode) -> usize {
        if self.by_snr { SNR } else { index(mode) }
    }
}

/// The eSNR of a mode's modulation; denser ones than 64-QAM have none of their own.
fn index(mode: Mode) -> usize {
    modulation(mode).min(Modulation::Qam64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Ht;
    use crate::sim::Streams;

    fn ht(mcs: u8) -> Mode {
        Mode::Ht(Ht::new(mcs, true, true).unwrap())
    }
    fn guide(p: Params, by_snr: bool) -> Guide {
        Guide::new(&p, by_snr, Streams::new(2).get("ap", "x"))
    }
    const F: Feedback = Feedback { esnr: [1001, 1102, 1203, 1304], snr: 1505 };

    #[test]
    fn udp_carries_all_and_takes_its_time() {
        let mut g = guide(Params::default(), false);
        let now = Time::ZERO + Span::from_ms(5);
        g.sent(now, ht(4), false, &F);
        assert!(g.arrived(now + Span::from_ms(1)).is_none() && g.last(ht(0)).is_none());
        let t = g.arrived(now + Span::from_ms(2)).unwrap();
        assert_eq!([0, 1, 3, 6].map(|m| g.of(&t, ht(m))), [1001, 1102, 1203, 1304].map(Some));
        assert!(g.arrived(now + Span::from_ms(9)).is_none());
        let mut lossy = guide(Params { loss: 1.0, ..Params::default() }, false);
        lossy.sent(now, ht(4), true, &F);
        assert!(lossy.arrived(now + Span::from_s(1)).is_none());
    }

    #[test]
    fn a_block_ack_carries_one_in_tenths_and_only_if_it_arrives() {
        let p = Params { feedback: Carrier::BlockAck, ..Params::default() };
        let mut g = guide(p, false);
        g.sent(Time::ZERO, ht(4), false, &F);
        assert!(g.arrived(Time::ZERO).is_none());
        g.sent(Time::ZERO, ht(4), true, &F);
        let t = g.arrived(Time::ZERO).unwrap();
        assert_eq!([2, 3, 4, 5].map(|m| g.of(&t, ht(m))), [None, Some(1200), Some(1200), None]);
        let mut g = guide(p, true);
        g.sent(Time::ZERO, ht(4), true, &F);
        let t = g.arrived(Time::ZERO).unwrap();
        assert_eq!(g.of(&t, ht(0)), Some(1500), "15.05 dB, to even");
    }
}
