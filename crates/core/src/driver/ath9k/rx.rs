//! Receive interrupt mitigation: the hardware keeps received frames to itself until none came for a while, or until the
//! first has waited long enough; then one interrupt tells of all.
//!
//! Enters: received packets with the instant at which each one's last bit was there. Leaves: batches for the host. It decides
//! how TCP ACKs aggregate: what one interrupt brings, the host answers in one go; and it adds to every round trip.
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/hw.c ath9k_hw_init_config, ath9k_hw_init_interrupt_masks (AR_IMR_RXINTM,
//! AR_IMR_RXMINTR instead of RXOK) and ath9k_hw_reset (AR_RIMT), the same in 4.14 and 5.4; the AR9300 family's values.
//! Each frame of an A-MPDU counts when its last bit is there: while a station sends one A-MPDU after another, none is ever quiet for long
//! enough, and interrupts come the longer time after the first frame.
//!
//! Differs: D1 a PPDU's frames are seen when it ends,
//! so that those of them that an interrupt in its midst tells of reach the host at its end, and its frames are taken to end evenly over
//! it; D2 of the interrupts that are not mitigated that for a frame with an error (AR_IMR_RXERR) is not there; D3 at the one for a unit that
//! was sent the next unit is formed before the received frames reach the stack, where the tasklet receives first.
//!
//! What is not mitigated: the interrupt for a unit that was sent; for a beacon that was sent, of cards with EDMA (mac.c
//! ath9k_hw_beaconq_setup, `TXQ_FLAG_TXINT_ENABLE`); and the one that asks for the next beacon ([`SWBA`]). Beacons that come count as
//! frames, of the ordinary queue (debug.h: the other one is U-APSD's).
//!
//! Such an interrupt brings received frames along: ar9003_mac.c ar9003_hw_get_isr takes AR_ISR_LP_RXOK, which the mask
//! does not enable, for a received frame; main.c ath_isr says that such bits may be set, and `ath9k_tasklet` receives before it completes. That
//! the register shows that bit while interrupts for it are masked, FreeBSD's driver says of the AR5416 family, whose register is laid out the same
//! (sys/dev/ath/ath_hal/ar5416/ar5416_interrupts.c ar5416GetPendingInterrupts, which therefore does not take it); of the AR9300 family it was
//! not measured. The two times so matter to a card that sends seldom.

use super::Params;
use crate::sim::{Span, Time};
use crate::wifi::Came;

/// How long before a beacon is due an access point's driver is asked for it.
/// src: linux@6.12 drivers/net/wireless/ath/ath9k/hw.c ath9k_hw_init_config sw_beacon_response_time, ath9k_hw_beaconinit AR_NEXT_SWBA
pub const SWBA: Span = Span::from_us(6 * 1_024);

/// What a card has to do with a beacon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beaconing {
    /// The access point's hardware asks for the next one.
    Asked,
    /// The access point's was sent.
    Sent,
    /// A station received it.
    Came,
}

/// Frames that the hardware holds back.
#[derive(Clone, Debug)]
pub(super) struct Mitigation {
    held: Vec<Came>,
    first: Time,
    last: Time,
    ready: usize,
    /// A beacon waits with them, which is none of the host's packets.
    beacon: bool,
    /// A timer is under way; it fires before the next interrupt is due.
    armed: bool,
    /// Of the PPDU that is coming in: when the first frame's last bit is there, and when it ends.
    landing: (Time, Time),
    /// The last interrupt that came in the midst of one.
    told: Time,
}

impl Mitigation {
    pub fn new() -> Mitigation {
        Mitigation {
            held: Vec::with_capacity(256),
            first: Time::ZERO,
            last: Time::ZERO,
            ready: 0,
            beacon: false,
            armed: false,
            landing: (Time::NEVER, Time::ZERO),
            told: Time::ZERO,
        }
    }
    /// A frame came. True: the interrupt is to be asked for at [`Mitigation::due`].
    #[inline]
    pub fn receive(&mut self, ended: Time, c: impl FnOnce() -> Came) -> bool {
        let told = ended <= self.told && self.told_of_all();
        self.ready += usize::from(told);
        let asks = !told && self.came(ended);
        // Made in its place, so that the packet is copied once.
        self.held.extend(core::iter::once_with(c));
        asks
    }
    /// What a beacon brings about. True: as of [`Mitigation::receive`].
    pub fn beacon(&mut self, now: Time, what: Beaconing, par: &Params) -> bool {
        match what {
            Beaconing::Came => {
                let asks = self.came(now);
                self.beacon = true;
                return asks;
            }
            Beaconing::Sent if !par.edma => {}
            Beaconing::Sent => self.interrupt(),
            Beaconing::Asked => self.interrupt_at(now),
        }
        false
    }
    fn came(&mut self, ended: Time) -> bool {
        if self.told_of_all() {
            self.first = ended;
        }
        self.last = ended;
        !core::mem::replace(&mut self.armed, true)
    }
    fn told_of_all(&self) -> bool {
        self.held.len() == self.ready && !self.beacon
    }
    /// When the interrupt comes, as things stand; never if nothing waits.
    pub fn due(&self, par: &Params) -> Time {
        if self.told_of_all() {
            return Time::NEVER;
        }
        let quiet = self.last + par.rimt_last;
        let quiet = if self.landing.0 <= quiet { quiet.max(self.landing.1) } else { quiet };
        (self.first + par.rimt_first).min(quiet)
    }
    /// A PPDU begins whose first frame is there at `first` and whose last at `until`.
    pub fn lands(&mut self, first: Time, until: Time) {
        self.landing = (first, until);
    }
    /// The timer fires. Answers when it is to fire again; never if nothing waits any more.
    pub fn timer(&mut self, now: Time, par: &Params) -> Time {
        let due = self.due(par);
        if due <= now {
            self.interrupt_at(now);
        }
        self.armed = due > now && !due.is_never();
        if self.armed { due } else { Time::NEVER }
    }
    /// An interrupt, of whatever kind: all that came is for the host.
    pub fn interrupt(&mut self) {
        self.ready = self.held.len();
        self.beacon = false;
    }
    /// One that may come in the midst of a PPDU.
    fn interrupt_at(&mut self, now: Time) {
        if now < self.landing.1 {
            self.told = now;
        }
        self.interrupt();
    }
    /// Hands on what the interrupt told of. Mostly that is all, and the two rows change places.
    pub fn take_up(&mut self, up: &mut Vec<Came>) {
        let ready = core::mem::take(&mut self.ready);
        if ready == 0 {
            return;
        }
        if up.is_empty() && ready == self.held.len() {
            core::mem::swap(up, &mut self.held);
        } else {
            up.extend(self.held.drain(..ready));
        }
    }
    /// Packets among them.
    pub fn held(&self) -> u64 {
        self.held.iter().filter(|c| c.is_packet()).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId, Packet};
    use crate::wifi::{StaIx, Tid};

    fn frame() -> Came {
        Came::plain(&Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1)), StaIx::AP, Tid::default())
    }

    #[test]
    fn quiet_for_500_us_or_2_ms_after_the_first() {
        let (par, mut m) = (Params::default(), Mitigation::new());
        let c = frame();
        assert!(m.due(&par).is_never());
        assert!(m.receive(Time::from_us(100), || c));
        assert_eq!(m.due(&par), Time::from_us(600));
        for t in (500..2_200).step_by(400) {
            assert!(!m.receive(Time::from_us(t), || c));
        }
        assert_eq!(m.due(&par), Time::from_us(2_100), "frames 400 us apart: the first decides");
        assert_eq!(m.timer(Time::from_us(600), &par), Time::from_us(2_100), "frames came since it was set");
        assert!(m.timer(Time::from_us(2_100), &par).is_never());
        let mut up = Vec::new();
        m.take_up(&mut up);
        assert_eq!((up.len(), m.held()), (6, 0));
    }

    #[test]
    fn frames_of_a_ppdu_count_as_they_end() {
        let (par, mut m) = (Params::default(), Mitigation::new());
        let c = frame();
        let mut up = Vec::new();
        assert!(m.receive(Time::from_us(100), || c));
        m.lands(Time::from_us(300), Time::from_us(1_300));
        assert_eq!(m.timer(Time::from_us(600), &par), Time::from_us(1_300), "it is not quiet at 600 us");
        for t in (300..=1_300).step_by(100) {
            assert!(!m.receive(Time::from_us(t), || c));
        }
        assert_eq!(m.timer(Time::from_us(1_300), &par), Time::from_us(1_800));
        m.lands(Time::from_us(1_700), Time::from_us(2_500));
        assert_eq!(m.timer(Time::from_us(1_800), &par), Time::from_us(2_100));
        assert!(m.timer(Time::from_us(2_100), &par).is_never(), "the first has waited for long enough");
        m.take_up(&mut up);
        assert_eq!(up.len(), 12);
        for t in (1_700..=2_500).step_by(200) {
            m.receive(Time::from_us(t), || c);
            m.take_up(&mut up);
        }
        assert_eq!((up.len(), m.held()), (15, 2), "1700, 1900 and 2100 us were told of already");
        assert_eq!(m.due(&par), Time::from_us(3_000));
    }

    #[test]
    fn beacons_bring_frames_along_or_keep_them() {
        let (par, mut m) = (Params::default(), Mitigation::new());
        let old = Params { edma: false, ..par };
        let c = frame();
        let mut up = Vec::new();
        assert!(m.receive(Time::from_us(100), || c));
        assert!(!m.beacon(Time::from_us(400), Beaconing::Came, &par), "the timer for 600 us is under way");
        assert_eq!(m.due(&par), Time::from_us(900), "a beacon is a frame");
        m.beacon(Time::from_us(500), Beaconing::Sent, &old);
        m.take_up(&mut up);
        assert_eq!(up.len(), 0, "without EDMA nobody is told that a beacon was sent");
        m.beacon(Time::from_us(500), Beaconing::Sent, &par);
        m.take_up(&mut up);
        assert_eq!((up.len(), m.due(&par)), (1, Time::NEVER));
        m.beacon(Time::from_us(1_000), Beaconing::Came, &par);
        assert_eq!((m.due(&par), m.held()), (Time::from_us(1_500), 0), "it asks for an interrupt by itself");
        m.lands(Time::from_us(1_200), Time::from_us(2_000));
        m.beacon(Time::from_us(1_600), Beaconing::Asked, &par);
        for t in (1_200..=2_000).step_by(200) {
            m.receive(Time::from_us(t), || c);
            m.take_up(&mut up);
        }
        assert_eq!((up.len(), m.held()), (4, 2), "1200, 1400 and 1600 us were told of in the midst of their PPDU");
    }

    #[test]
    fn another_interrupt_leaves_one_timer() {
        let (par, mut m) = (Params::default(), Mitigation::new());
        let c = frame();
        assert!(m.receive(Time::from_us(100), || c));
        m.interrupt();
        m.take_up(&mut Vec::new());
        assert!(!m.receive(Time::from_us(300), || c), "the timer for 600 us is under way");
        assert_eq!(m.timer(Time::from_us(600), &par), Time::from_us(800));
        m.interrupt();
        assert!(m.timer(Time::from_us(800), &par).is_never());
        assert!(m.receive(Time::from_us(900), || c));
    }
}
