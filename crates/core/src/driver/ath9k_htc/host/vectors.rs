//! Slots, requests, statuses and the cleanup timer against htc_drv_txrx.c and hif_usb.c of 6.12.117, with the buckets of kernel/time/timer.c: see
//! [`vectors`](crate::qdisc::vectors). A frame that waits for 2.9 s has lost its status, so that none is with the device when it is given up (D2).

use super::super::usb::Usb;
use super::*;
use crate::qdisc::vectors::{Draw, Fold};
use crate::sim::{FlowId, Freed, Kind, NodeId, Owner, Span, wheel};

/// The driver with a device that tells it what it is drawn to.
struct Bench {
    x: Draw,
    fold: Fold,
    par: Params,
    hz: u32,
    timer: Cleanup,
    host: Host,
    usb: Usb,
    now: Time,
    /// Frames whose status may come, and since when their requests are complete.
    device: Vec<(Slot, Time)>,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    /// What was freed as acknowledged, and what not: a checksum and a count.
    gone: [(u64, u64); 2],
    wakes: u64,
}

impl Bench {
    fn fill(&mut self) {
        let before = self.usb.frames();
        self.usb.fill(&mut self.host, &self.par);
        if before > 0 || self.usb.idle() {
            return;
        }
        self.fold.add(1000 + self.usb.frames() as u64);
        for &s in self.usb.carries() {
            self.fold.add(s.into());
            self.device.push((s, Time::NEVER));
        }
    }
    fn call(&mut self, f: impl FnOnce(&mut Host, &mut Sink<'_>)) {
        let mut wants = vec![];
        f(&mut self.host, &mut Sink { freed: &mut self.freed, dropped: &mut self.dropped, wants: &mut wants });
        let ids = [self.freed.drain(..).map(|f| f.seq).collect(), self.dropped.drain(..).map(|d| d.0.seq).collect()];
        for ((sum, n), ids) in self.gone.iter_mut().zip::<[Vec<u32>; 2]>(ids) {
            for id in ids {
                (*sum, *n) = (sum.wrapping_mul(31).wrapping_add(id.into()), *n + 1);
            }
        }
    }
    fn wake(&mut self) {
        self.wakes += u64::from(self.host.wake(&self.par));
    }
    fn advance(&mut self, to: Time) {
        loop {
            let at = self.timer.after(self.now, &self.par);
            if at > to {
                break;
            }
            self.now = at;
            let (host, old) = (&mut self.host, Span::from_ms(2900));
            self.device.retain(|&(s, since)| {
                let keeps = since.is_never() || at - since <= old;
                if !keeps {
                    host.lost(s, true);
                }
                keeps
            });
            let (par, timer) = (self.par, Cleanup::new(&self.par, self.hz));
            self.call(|h, sink| h.cleanup(at, &timer, &par, sink));
            self.wake();
            self.fold.add(wheel::jiffies(at, self.hz));
        }
        self.now = to;
    }
}

fn gave(n: usize) -> Fold {
    let mut x = Draw::setting(n);
    let hz = x.pick(&[100, 250, 1000]);
    let par = Params { tx_threshold: x.pick(&[5, 60, 246, 246]), ..Params::default() };
    let (burst, sizes, lossy) = (x.pick(&[1, 4, 40]), x.below(3), x.pick(&[0, 10, 200]));
    let step = x.pick(&[20_000, 500_000, 20_000_000]);
    let mut b = Bench {
        x,
        fold: Fold::default(),
        timer: Cleanup::new(&par, hz),
        host: Host::new(),
        usb: Usb::new(&par),
        par,
        hz,
        now: Time::ZERO,
        device: vec![],
        freed: vec![],
        dropped: vec![],
        gone: [(0, 0); 2],
        wakes: 0,
    };
    let mut id = 1;
    for _ in 0..4000 {
        let mut to = b.now + Span::from_ns(b.x.below(step).into());
        let (a, c) = (b.x.next(), b.x.next());
        if c % 499 == 0 {
            to += Span::from_ms(100) * i64::from(c >> 12 & 63);
        }
        b.advance(to);
        match a % 16 {
            0..=5 => {
                for _ in 0..=c % burst {
                    if !b.host.awake() {
                        break;
                    }
                    let tid = Tid::new(b.x.below(8) as u8);
                    let len = match sizes {
                        0 => 1500,
                        1 => 20 + b.x.below(1481),
                        _ => 40,
                    };
                    let p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0));
                    let p = Packet { seq: id, headers: 20, payload: len - 20, owner: Owner(0), ..p };
                    id += 1;
                    b.host.take(&b.par, p, StaIx::AP, tid);
                    if b.usb.idle() {
                        b.fill();
                    }
                }
            }
            6..=8 if !b.usb.idle() => {
                let Bench { usb, host, device, now, .. } = &mut b;
                usb.completed(|s| {
                    host.sent(*now, s);
                    device.iter_mut().filter(|d| d.0 == s).for_each(|d| d.1 = *now);
                });
                b.fill();
            }
            9..=14 => {
                for _ in 0..=c % 12 {
                    if b.device.is_empty() {
                        break;
                    }
                    let any = c >> 16 & 1 == 1;
                    let i = if any { b.x.below(b.device.len() as u32) } else { 0 };
                    let (s, _) = b.device.remove(i as usize);
                    if lossy > 0 && b.x.below(lossy) == 0 {
                        b.host.lost(s, true);
                        continue;
                    }
                    let ok = b.x.below(4) != 0;
                    b.call(|h, sink| h.status(s, ok, sink));
                }
                b.wake();
            }
            _ => {}
        }
        let [(acked, n), (failed, m)] = b.gone;
        let (held, stopped) = (b.host.held(), !b.host.awake());
        let seen = [
            held.into(),
            stopped.into(),
            b.wakes,
            b.host.skbs.len() as u64,
            (!b.usb.idle()).into(),
            acked,
            n,
            failed,
            m,
        ];
        seen.into_iter().for_each(|v| b.fold.add(v));
    }
    b.fold
}

const KERNEL: [Fold; 24] = [
    Fold(39_691, 6_853_829_194_810_502_458),
    Fold(37_661, 12_155_621_689_090_987_378),
    Fold(37_434, 15_622_317_601_478_267_315),
    Fold(37_203, 244_617_704_582_094_077),
    Fold(36_335, 9_624_621_337_808_070_046),
    Fold(38_148, 6_972_067_418_223_301_791),
    Fold(36_616, 2_949_423_817_615_363_725),
    Fold(36_643, 1_639_583_253_199_809_075),
    Fold(36_494, 4_432_906_553_420_768_082),
    Fold(41_184, 6_634_798_181_282_157_589),
    Fold(40_080, 11_301_721_544_187_756_659),
    Fold(39_537, 2_189_914_341_939_923_392),
    Fold(41_664, 5_043_785_807_004_436_420),
    Fold(39_203, 593_091_498_683_082_419),
    Fold(38_688, 9_540_319_867_736_691_888),
    Fold(40_109, 13_770_741_108_216_878_493),
    Fold(38_610, 8_342_591_969_231_923_843),
    Fold(39_878, 544_818_715_847_464_178),
    Fold(36_897, 17_673_884_923_643_189_113),
    Fold(39_261, 11_644_970_464_284_286_206),
    Fold(39_343, 4_404_747_751_595_553_905),
    Fold(39_258, 17_864_968_702_144_201_969),
    Fold(36_574, 10_269_082_862_601_668_470),
    Fold(36_642, 17_765_751_156_220_566_779),
];

#[test]
fn every_request_status_and_run_of_the_timer_is_the_kernels() {
    for (n, row) in KERNEL.iter().enumerate() {
        assert_eq!(gave(n), *row, "setting {n}");
    }
}
