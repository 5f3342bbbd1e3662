//! A TCP download over DCF in which data and TCP ACKs contend: what equation 3.1 of the thesis ([`hack`](super::hack)) leaves out.
//!
//! Equation 3.1 lets every frame pay its own DIFS and a mean backoff, one after the other. Two stations count down side by side, so
//! they wait less; they draw a new backoff right after a frame, which runs while the other sends; and their frames collide. This is a
//! Markov chain of the two, solved exactly: after each exchange the one that sent draws anew, so a state is what the other has left
//! to count, the stages of their contention windows, the TCP ACKs that wait at the client, and whether a segment waits for a second.
//!
//! Source: ours, from 802.11-2020 10.3.4.3 (backoff, post-backoff, freezing), 10.3.2.11 (ACKTimeout), 10.3.3 (windows); frames in whole
//! OFDM symbols (17.4.3).
//! Differs: D1 one TCP ACK for two segments, or for each where the window is one (a
//! receiver would wait for a second until its timer ends); hosts and wires take no time; nothing is lost but by collision. D2 the window
//! stops growing after [`STAGES`] sizes, and no frame is given up. D3 who sent in a collision waits for its ACKTimeout, then
//! DIFS; the times between two such are rounded to whole slots (at 9 us they are whole). D4 at most [`WAITING`] TCP ACKs wait.

use super::{Form, inputs};

inputs! {
    /// What it takes; defaults: 802.11a at 54 Mbit/s, 1500 bytes of IP with timestamps, the frames of the model.
    pub struct TcpDcf {
        /// PHY rate of data and TCP ACKs.
        rate ("rate", "Mbit/s") = 54.0, in 0.1 => 100_000;
        /// Bytes of a data frame, MAC header and FCS included.
        data ("L_data", "byte") = 1536.0, in 1 => 65_535;
        /// Bytes of it that the user counts.
        user ("L_Udata", "byte") = 1448.0, in 1 => 65_535;
        /// Bytes of a TCP ACK's frame.
        tack ("L_TACK", "byte") = 88.0, in 1 => 65_535;
        /// Bytes of a link-layer acknowledgement.
        ack ("L_DACK", "byte") = 14.0, in 1 => 65_535;
        /// The highest basic rate: of 6, 12 and 24 Mbit/s up to it, acknowledgements go at the highest that is not above `rate`.
        basic ("basic", "Mbit/s") = 24.0, in 0.1 => 100_000;
        /// Interframe space within an exchange.
        sifs ("T_SIFS", "us") = 16.0, in 0 => 1_000_000;
        /// Interframe space before contention.
        difs ("T_DIFS", "us") = 34.0, in 0 => 1_000_000;
        /// Slot.
        slot ("T_slot", "us") = 9.0, in 0.1 => 1_000;
        /// Preamble and SIGNAL of a frame.
        plcp ("T_PLCP", "us") = 20.0, in 0 => 1_000_000;
        /// From a frame's end until its sender knows that no acknowledgement comes.
        timeout ("ACKTimeout", "us") = 45.0, in 0 => 1_000_000;
        /// Least contention window: backoff is 0..=CWmin slots.
        cw_min ("CWmin", "slot") = 15.0, whole 0 => 127;
        /// Greatest contention window.
        cw_max ("CWmax", "slot") = 1023.0, whole 0 => 32_767;
        /// Segments that may be under way, from the sender until their TCP ACK is back; two take turns with their TCP ACK and never collide, one has a TCP ACK of its own.
        window ("window", "segment") = 1000.0, whole 1 => 1_000_000;
    }
}

/// Sizes of a contention window that are told apart; a fourth collision in a row is one exchange in 10^5.
const STAGES: usize = 4;
/// TCP ACKs that may wait at the client.
const WAITING: usize = 12;
/// States that are less likely lead nowhere; what they would add is made up for in proportion.
const UNLIKELY: f64 = 1e-10;

/// The solution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Solution {
    /// Goodput, Mbit/s.
    pub goodput: f64,
    /// Share of the access point's transmissions that collide.
    pub collided: f64,
    /// Share of the time in which the medium is idle, interframe spaces included.
    pub idle: f64,
    /// Mean time from DIFS to a frame, us: what is left of backoffs that stations count side by side, and while the other has its turn.
    pub backoff: f64,
}

/// A station after DIFS: whether it has something to send, slots until its counter starts, slots to count.
#[derive(Clone, Copy)]
struct Turn {
    ready: bool,
    behind: usize,
    count: usize,
}

impl Turn {
    fn at(self) -> usize {
        if self.ready { self.behind + self.count } else { usize::MAX }
    }
    /// What is left when the medium gets busy after `slots`.
    fn left(self, slots: usize) -> usize {
        self.count - slots.saturating_sub(self.behind).min(self.count)
    }
}

/// What ends an idle period.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// A data frame; so many slots are left to the client.
    Data(usize),
    /// A TCP ACK; so many are left to the access point.
    Tack(usize),
    Both,
}

/// After how many slots it ends, and how.
fn idle(ap: Turn, client: Turn) -> (usize, Ends) {
    let slots = ap.at().min(client.at());
    let ends = match ap.at().cmp(&client.at()) {
        core::cmp::Ordering::Less => Ends::Data(client.left(slots)),
        core::cmp::Ordering::Greater => Ends::Tack(ap.left(slots)),
        core::cmp::Ordering::Equal => Ends::Both,
    };
    (slots, ends)
}

/// Where an exchange leaves the two: TCP ACKs that wait, a segment that waits for a second.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tcp {
    acks: usize,
    odd: bool,
}

impl Tcp {
    fn ix(self) -> usize {
        2 * self.acks + usize::from(self.odd)
    }
    fn all() -> impl Iterator<Item = Tcp> {
        (0..=WAITING).flat_map(|acks| [false, true].map(|odd| Tcp { acks, odd }))
    }
}

/// Probabilities of the states: after a frame of the access point (by stage and count of the client), after one of the client (by those of the
/// access point), after a collision (by both stages); each by [`Tcp::ix`].
#[derive(Clone)]
struct Law {
    data: Vec<f64>,
    tack: Vec<f64>,
    both: Vec<f64>,
}

/// What a step adds, on average.
#[derive(Clone, Copy, Default)]
struct Sums {
    time: f64,
    idle: f64,
    delivered: f64,
    sent: f64,
    collided: f64,
}

/// The chain: sizes of the windows, and durations.
struct Chain<'a> {
    of: &'a TcpDcf,
    sizes: [usize; STAGES],
    data: f64,
    tack: f64,
    dack: f64,
    /// What ends the idle period after a collision, by the stages of both: each with its probability and mean slots.
    clash: Vec<Vec<(Ends, f64, f64)>>,
}

impl Law {
    fn empty(c: &Chain<'_>) -> Law {
        let n = 2 * (WAITING + 1);
        Law { data: vec![0.0; n * c.states()], tack: vec![0.0; n * c.states()], both: vec![0.0; n * STAGES * STAGES] }
    }
}

impl Chain<'_> {
    fn states(&self) -> usize {
        STAGES * self.sizes[STAGES - 1]
    }
    fn at(&self, t: Tcp, stage: usize, count: usize) -> usize {
        t.ix() * self.states() + stage * self.sizes[STAGES - 1] + count
    }
    /// A window of one segment: a TCP ACK that waits for a second would wait for ever.
    fn single(&self) -> bool {
        self.of.window < 2.0
    }
    /// Whether the access point has a segment to send.
    fn backlog(&self, t: Tcp) -> bool {
        self.of.window > (2 * t.acks + usize::from(t.odd)) as f64
    }
    /// Time from the start of the two frames of a collision until the first of the two may count DIFS, and how many slots behind that either is.
    fn after_collision(&self) -> (f64, usize, usize) {
        let end = self.data.max(self.tack);
        let (ap, client) = ((self.data + self.of.timeout).max(end), (self.tack + self.of.timeout).max(end));
        let first = ap.min(client);
        let slots = |t: f64| ((t - first) / self.of.slot + 0.5) as usize;
        (first, slots(ap), slots(client))
    }
    /// After a collision both draw from their windows.
    fn clashes(&self, stages: [usize; 2]) -> Vec<(Ends, f64, f64)> {
        let (_, ap_behind, client_behind) = self.after_collision();
        let sizes = stages.map(|s| self.sizes[s]);
        let p = 1.0 / (sizes[0] * sizes[1]) as f64;
        let most = self.sizes[STAGES - 1] + 1;
        let mut all = vec![(0.0, 0.0); 2 * most + 1];
        for a in 0..sizes[0] {
            for c in 0..sizes[1] {
                let ap = Turn { ready: true, behind: ap_behind, count: a };
                let client = Turn { ready: true, behind: client_behind, count: c };
                let (slots, ends) = idle(ap, client);
                let place = match ends {
                    Ends::Data(left) => left,
                    Ends::Tack(left) => most + left,
                    Ends::Both => 2 * most,
                };
                all[place].0 += p;
                all[place].1 += p * slots as f64;
            }
        }
        let named = |i: usize| match i {
            i if i < most => Ends::Data(i),
            i if i < 2 * most => Ends::Tack(i - most),
            _ => Ends::Both,
        };
        let seen = all.iter().enumerate().filter(|(_, a)| a.0 > 0.0);
        seen.map(|(i, &(p, slots))| (named(i), p, slots / p)).collect()
    }
    /// An idle period of `slots`, and what ended it: adds `p` to where it leads. `stages`: of the access point and the client.
    fn step(&self, p: f64, t: Tcp, stages: [usize; 2], (slots, ends): (f64, Ends), to: &mut Law, sums: &mut Sums) {
        let idle = self.of.difs + slots * self.of.slot;
        sums.idle += p * idle;
        sums.time += p * idle;
        let fresh = self.sizes[0];
        // Whoever gets something to send with its counter at zero, while the medium is busy, draws.
        let land = |law: &mut Vec<f64>, t: Tcp, stage: usize, left: usize, draws: bool| {
            if draws && left == 0 {
                (0..fresh).for_each(|c| law[self.at(t, 0, c)] += p / fresh as f64);
            } else {
                law[self.at(t, stage, left)] += p;
            }
        };
        match ends {
            Ends::Data(left) => {
                let full = t.odd || self.single();
                let next = Tcp { acks: (t.acks + usize::from(full)).min(WAITING), odd: !full };
                land(&mut to.data, next, stages[1], left, t.acks == 0 && next.acks > 0);
                sums.time += p * (self.data + self.of.sifs + self.dack);
                sums.delivered += p;
                sums.sent += p;
            }
            Ends::Tack(left) => {
                let next = Tcp { acks: t.acks - 1, ..t };
                land(&mut to.tack, next, stages[0], left, !self.backlog(t));
                sums.time += p * (self.tack + self.of.sifs + self.dack);
            }
            Ends::Both => {
                let [a, c] = stages.map(|s| (s + 1).min(STAGES - 1));
                to.both[t.ix() * STAGES * STAGES + a * STAGES + c] += p;
                sums.time += p * self.after_collision().0;
                sums.sent += p;
                sums.collided += p;
            }
        }
    }
    /// One step from everywhere.
    fn steps(&self, from: &Law) -> (Law, Sums) {
        let (mut to, mut sums) = (Law::empty(self), Sums::default());
        let fresh = self.sizes[0];
        for t in Tcp::all() {
            let turn = |ready, count| Turn { ready, behind: 0, count };
            let (data, tack) = (|count| turn(self.backlog(t), count), |count| turn(t.acks > 0, count));
            for stage in 0..STAGES {
                for count in 0..self.sizes[stage] {
                    let p = from.data[self.at(t, stage, count)];
                    for new in 0..if p > UNLIKELY { fresh } else { 0 } {
                        let (slots, ends) = idle(data(new), tack(count));
                        self.step(p / fresh as f64, t, [0, stage], (slots as f64, ends), &mut to, &mut sums);
                    }
                    let p = from.tack[self.at(t, stage, count)];
                    for new in 0..if p > UNLIKELY { fresh } else { 0 } {
                        let (slots, ends) = idle(data(count), tack(new));
                        self.step(p / fresh as f64, t, [stage, 0], (slots as f64, ends), &mut to, &mut sums);
                    }
                }
                for other in 0..STAGES {
                    let pair = stage * STAGES + other;
                    let p = from.both[t.ix() * STAGES * STAGES + pair];
                    for &(ends, q, slots) in self.clash[pair].iter().filter(|_| p > UNLIKELY) {
                        self.step(p * q, t, [stage, other], (slots, ends), &mut to, &mut sums);
                    }
                }
            }
        }
        (to, sums)
    }
}

impl TcpDcf {
    /// The rate of what acknowledges. src: 802.11-2020 10.6.6.5.2
    fn control(&self) -> f64 {
        [24.0, 12.0].into_iter().find(|&r| r <= self.rate && r <= self.basic).unwrap_or(6.0)
    }
    /// A frame on the air, us: service and tail bits, whole symbols of 4 us. src: 802.11-2020 17.4.3
    fn frame(&self, bytes: f64, rate: f64) -> f64 {
        // Rounding up by hand: the portable way to a whole number.
        let symbols = (bytes * 8.0 + 22.0) / (rate * 4.0);
        let whole = symbols as u32;
        self.plcp + 4.0 * f64::from(whole + u32::from(f64::from(whole) < symbols))
    }
    fn chain(&self) -> Chain<'_> {
        let size = |i: usize| ((self.cw_min + 1.0) * f64::from(1 << i)).min(self.cw_max + 1.0).max(1.0) as usize;
        let mut c = Chain {
            of: self,
            sizes: [size(0), size(1), size(2), size(3)],
            data: self.frame(self.data, self.rate),
            tack: self.frame(self.tack, self.rate),
            dack: self.frame(self.ack, self.control()),
            clash: Vec::new(),
        };
        c.clash = (0..STAGES * STAGES).map(|i| c.clashes([i / STAGES, i % STAGES])).collect();
        c
    }
    /// Goodput by equation 3.1, told these frames: each with a mean backoff of its own, one after the other. Mbit/s.
    pub fn in_turns(&self) -> f64 {
        self.in_turns_after(self.cw_min / 2.0 * self.slot)
    }
    /// The same, told how long a frame's backoff is on average (`T_BO`), us.
    pub fn in_turns_after(&self, backoff: f64) -> f64 {
        let c = self.chain();
        let each = self.difs + backoff + self.sifs + c.dack;
        2.0 * self.user * 8.0 / (2.0 * c.data + c.tack + 3.0 * each)
    }
    /// The stationary state of the chain.
    pub fn solve(&self) -> Solution {
        let c = self.chain();
        let mut law = Law::empty(&c);
        law.data[c.at(Tcp { acks: usize::from(c.single()), odd: !c.single() }, 0, 0)] = 1.0;
        let mut goodput = 0.0;
        loop {
            let (next, sums) = c.steps(&law);
            let now = sums.delivered * self.user * 8.0 / sums.time;
            let moved: f64 = law.data.iter().zip(&next.data).map(|(x, y)| (x - y).max(y - x)).sum();
            let whole: f64 = [&next.data, &next.tack, &next.both].into_iter().flatten().sum();
            // Half a step at a time: exchanges that take turns have a period.
            let half = |x: &mut Vec<f64>, y: &[f64]| x.iter_mut().zip(y).for_each(|(x, y)| *x = (*x + y / whole) / 2.0);
            half(&mut law.data, &next.data);
            half(&mut law.tack, &next.tack);
            half(&mut law.both, &next.both);
            let still = now - goodput < 1e-6 && goodput - now < 1e-6;
            goodput = now;
            if still && moved < 1e-6 {
                let (collided, idle) = (sums.collided / sums.sent, sums.idle / sums.time);
                return Solution { goodput, collided, idle, backoff: sums.idle - self.difs };
            }
        }
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "tcp-dcf",
        title: "A TCP download over 802.11a whose data and TCP ACKs contend, beside equation 3.1 told the same frames",
        source: "wavetank (a Markov chain of the two stations); thesis equation 3.1",
        inputs: TcpDcf::rows(),
        outputs: vec!["contending Mbit/s", "equation 3.1 Mbit/s", "collided 1", "idle 1", "backoff us"],
        eval: |v| {
            let t = TcpDcf::read(v);
            let s = t.solve();
            vec![s.goodput, t.in_turns(), s.collided, s.idle, s.backoff]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_whole_symbols() {
        // By hand: 12310 bits in symbols of 216 are 57; 726 are 4; an acknowledgement is 134 bits in symbols of 96: 2.
        let c = TcpDcf::default();
        let c = c.chain();
        assert_eq!((c.data, c.tack, c.dack), (248.0, 36.0, 28.0));
        let slow = TcpDcf { rate: 9.0, ..TcpDcf::default() };
        assert_eq!(slow.chain().dack, 44.0, "6 Mbit/s below 12");
    }

    #[test]
    fn no_backoff_at_all_is_equation_3_1() {
        let t = TcpDcf { cw_min: 0.0, cw_max: 0.0, window: 2.0, ..TcpDcf::default() };
        // 2 * 248 + 36 + 3 * (34 + 16 + 28) us.
        assert!((t.in_turns() - 2.0 * 1448.0 * 8.0 / 766.0).abs() < 1e-9);
        let s = t.solve();
        assert!((s.goodput / t.in_turns() - 1.0).abs() < 1e-6 && s.collided == 0.0, "{s:?}");
    }

    #[test]
    fn a_window_of_one_segment_is_a_tcp_ack_for_each() {
        let t = TcpDcf { cw_min: 0.0, cw_max: 0.0, window: 1.0, ..TcpDcf::default() };
        // 248 + 36 + 2 * (34 + 16 + 28) us.
        let s = t.solve();
        assert!((s.goodput / (1448.0 * 8.0 / 440.0) - 1.0).abs() < 1e-6 && s.collided == 0.0, "{s:?}");
        // Each counts down while the other has its turn: less than two mean backoffs of 67.5 us.
        let s = TcpDcf { window: 1.0, ..TcpDcf::default() }.solve();
        assert!(s.collided == 0.0 && s.backoff < 67.5 && s.goodput > 1448.0 * 8.0 / 575.0, "{s:?}");
    }

    /// Backoffs of 0 or 1. The client has its 1 left only if neither data frame waited: with x, y, w the slots that the first and the
    /// second data frame and the TCP ACK wait, P(w = 0) = (1 - P(x = 0) / 4) / 2, P(x = 1) = 1/2 + P(w = 0) / 4. So P(w = 0) = 14/31.
    #[test]
    fn turns_of_one_slot_by_hand() {
        let t = TcpDcf { cw_min: 1.0, cw_max: 1.0, window: 2.0, ..TcpDcf::default() };
        let (w, x) = (17.0 / 31.0, 0.5 + 14.0 / 31.0 / 4.0);
        let goodput = 2.0 * 1448.0 * 8.0 / (766.0 + 9.0 * (w + x + 0.5));
        let s = t.solve();
        assert!((s.goodput / goodput - 1.0).abs() < 1e-6, "{s:?}");
        assert!((s.backoff - 9.0 * (w + x + 0.5) / 3.0).abs() < 1e-3, "{s:?}");
        assert!((t.in_turns_after(s.backoff) / goodput - 1.0).abs() < 1e-5);
    }

    #[test]
    fn contention_gains_at_high_rates_and_costs_at_low_ones() {
        for (rate, sign) in [(6.0, -1.0), (54.0, 1.0)] {
            let t = TcpDcf { rate, ..TcpDcf::default() };
            let (s, turns) = (t.solve(), TcpDcf { window: 2.0, ..t }.solve());
            assert!(sign * (s.goodput - t.in_turns()) > 0.01 * t.in_turns());
            assert!((0.03..0.08).contains(&s.collided) && s.idle < turns.idle, "{s:?}");
        }
    }
}
