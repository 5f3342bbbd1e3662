//! What holds disciplines to the kernel's own files: each of these was compiled outside the kernel (with our hash, and random numbers where
//! it takes some) and given the same packets at the same times as here; its results are recorded beside the discipline.

use super::Discipline;
use super::battery::packet;
use crate::sim::{Ecn, Packet, Place, Reason, Span, Time, Verdict};

/// A multiplicative generator that C has in a line.
pub struct Draw(pub u32);

impl Draw {
    /// 24 bits.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
    pub fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
    /// That of the `n`-th setting: it draws how the discipline is set, then its load.
    pub fn setting(n: usize) -> Draw {
        Draw(n as u32 * 7919 + 1)
    }
}

/// Counts and a checksum of their order.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Fold(pub u32, pub u64);

impl Fold {
    pub fn add(&mut self, v: u64) {
        *self = Fold(self.0 + 1, self.1.wrapping_mul(31).wrapping_add(v));
    }
}

/// What a setting gave: packets out, packets dropped, and a checksum of all there is to see, in its order.
pub type Row = (u32, u32, u64);

/// Who sends, what, and how fast.
#[derive(Debug)]
pub struct Load {
    pub senders: u32,
    sizes: u32,
    step: u32,
    burst: u32,
    pub start: Time,
}

impl Load {
    pub fn drawn(x: &mut Draw) -> Load {
        Load {
            senders: x.pick(&[1, 3, 20, 300]),
            sizes: x.below(5),
            step: x.pick(&[20_000, 200_000, 600_000, 3_000_000]),
            burst: x.pick(&[1, 1, 3, 64]),
            // Shortly before CoDel's clock wraps and changes its sign, too.
            start: Time::from_ns(x.pick(&[1_000_000_000, 4_397_500_000_000, 2_198_500_000_000])),
        }
    }
    fn size(&self, v: u32) -> u32 {
        match self.sizes {
            0 => v % 1449,
            1 => 1448,
            2 => 0,
            3 => v % 2 * 1448,
            _ => v % 60_000,
        }
    }
}

/// Of four senders one asks for ECN, and some packets of those were marked before.
pub fn asks_for_ecn(p: &mut Packet) {
    if p.flow.0 % 4 == 0 {
        p.ecn = if p.flow.0 % 7 == 1 { Ecn::Ce } else { Ecn::Ect0 };
    }
}

/// What came of a load.
#[derive(Default, Debug)]
pub struct Gave {
    sum: u64,
    pub came: u32,
    pub out: u32,
    pub drops: u32,
    pub marked: u32,
    /// Packets whose own flow paid, and such as were refused.
    pub cn: u32,
    pub refused: u32,
}

impl Gave {
    pub fn fold(&mut self, v: impl Into<u64>) {
        self.sum = self.sum.wrapping_mul(31).wrapping_add(v.into());
    }
    pub fn row(&self) -> Row {
        (self.out, self.drops, self.sum)
    }
}

/// What a load goes through.
pub trait Queue {
    fn put(&mut self, now: Time, p: Packet, bin: &mut Binned) -> Verdict;
    fn take(&mut self, now: Time, bin: &mut Binned) -> Option<Packet>;
    /// When to ask again, where it holds packets.
    fn due(&self, now: Time) -> Option<Time>;
    /// Packets and bytes that are left, and packets that were dropped.
    fn ends(&self) -> [u64; 3];
}

/// Packets that were dropped, and where, and why.
pub type Binned = Vec<(Packet, Place, Reason)>;

impl<D: Discipline> Queue for D {
    fn put(&mut self, now: Time, p: Packet, bin: &mut Binned) -> Verdict {
        self.enqueue(now, p, bin)
    }
    fn take(&mut self, now: Time, bin: &mut Binned) -> Option<Packet> {
        self.dequeue(now, bin)
    }
    fn due(&self, now: Time) -> Option<Time> {
        self.wake_at(now).filter(|_| self.packets() > 0)
    }
    fn ends(&self) -> [u64; 3] {
        [self.packets().into(), self.bytes(), self.dropped()]
    }
}

/// 20000 operations: packets that `dress` finishes come, at a rate that rises and falls; the device takes some; now and then nothing happens for up to half
/// a second.
pub fn run(q: &mut impl Queue, x: &mut Draw, load: &Load, mut dress: impl FnMut(&mut Packet, u32, Time)) -> Gave {
    let (mut gave, mut bin, mut wake) = (Gave::default(), Vec::new(), Time::ZERO);
    let mut now = load.start;
    for op in 0..20_000 {
        now += Span::from_ns(i64::from(x.below(load.step)));
        let (a, b, c) = (x.next(), x.next(), x.next());
        if c % 997 == 0 {
            now += Span::from_ms(i64::from(c % 499));
        }
        if c % 3 == 0 {
            now = now.max(wake);
        }
        if a % 100 < [70, 52, 60, 45][op / 2000 % 4] {
            let mut p = packet((b % load.senders) as u16, gave.came, load.size(b >> 5));
            dress(&mut p, c, now);
            gave.came += 1;
            let verdict = q.put(now, p, &mut bin);
            gave.dropped(&mut bin);
            gave.cn += u32::from(verdict == Verdict::Cn);
            gave.refused += u32::from(verdict == Verdict::Drop);
            gave.fold(match verdict {
                Verdict::Ok => 0_u32,
                Verdict::Drop => 1,
                Verdict::Cn => 2,
            });
        }
        if a % 100 < 50 {
            continue;
        }
        for _ in 0..load.burst {
            let out = q.take(now, &mut bin);
            gave.dropped(&mut bin);
            let Some(p) = out else {
                wake = q.due(now).unwrap_or(Time::ZERO);
                gave.fold(wake.ns());
                break;
            };
            let ce = p.ecn == Ecn::Ce;
            (wake, gave.out, gave.marked) = (Time::ZERO, gave.out + 1, gave.marked + u32::from(ce));
            gave.fold(p.seq + if ce { 1_000_000 } else { 0 });
        }
    }
    q.ends().into_iter().for_each(|v| gave.fold(v));
    gave
}

impl Gave {
    fn dropped(&mut self, bin: &mut Binned) {
        for (p, ..) in bin.drain(..) {
            self.drops += 1;
            self.fold(p.seq);
        }
    }
}

/// Holds what each setting gives to what the kernel's gave; the first that differs is named.
pub fn holds(kernel: &[Row], gave: impl Fn(usize) -> Gave) {
    for (n, row) in kernel.iter().enumerate() {
        let gave = gave(n);
        assert_eq!(gave.row(), *row, "setting {n}: {gave:?}");
    }
}
