use super::super::aarc;
use super::*;
use crate::phy::{Gi, He, Ht, Vht, Width};

fn ht(mcs: u8) -> Mode {
    Mode::Ht(Ht::new(mcs, true, true).unwrap())
}

fn ms(n: i64) -> Time {
    Time::ZERO + Span::from_ms(n)
}

fn machine() -> Machine {
    Machine::new(&Params::default(), ht(7), None)
}

/// A peer that takes everything up to `best` and nothing above, one unit of `frames` after the other, 3 ms each.
fn drive(m: &mut Machine, from: i64, units: i64, best: Mode, frames: u16) -> Vec<Mode> {
    (0..units)
        .map(|i| {
            let now = ms(from + 3 * i);
            let chain = m.choose(now);
            let works = |a: &Attempt| a.tries > 0 && a.mode.rate().bps() <= best.rate().bps();
            if let Some(at) = chain.iter().position(works) {
                m.report(now + Span::from_ms(3), &chain, at + 1, frames, 0);
            }
            chain[0].mode
        })
        .collect()
}

#[test]
fn climbs_one_rate_a_probe() {
    let mut m = machine();
    let sent = drive(&mut m, 0, 9, ht(7), 32);
    assert_eq!(sent, [1, 2, 3, 4, 5, 6, 7, 7, 7].map(ht));
    assert_eq!((m.current(), m.counts().probes, m.counts().probes_ok), (ht(7), 7, 7));
}

#[test]
fn chains_fall_back_by_one_rate() {
    let mut m = machine();
    let tries = |c: &Chain| c.iter().map(|a| (a.mode.mcs(), a.tries)).take_while(|a| a.1 > 0).collect::<Vec<_>>();
    assert_eq!(tries(&m.normal()), [(0, 4)]);
    assert_eq!(tries(&m.choose(ms(0))), [(1, 1), (0, 2)]);
    drive(&mut m, 60, 7, ht(5), 32);
    assert_eq!(m.current(), ht(5), "a probe that is never reported is over when another unit is, 50 ms later");
    assert_eq!(tries(&m.normal()), [(5, 2), (4, 2)]);
    assert_eq!(tries(&m.choose(ms(90))), [(6, 1), (5, 2), (4, 2)]);
    assert_eq!(tries(&m.choose(ms(91))), [(5, 2), (4, 2)], "one probe at a time");
}

/// Equation 5.1: 1, 2, 4, ... 32, 32 ms; asked every 3 ms.
#[test]
fn failed_probes_back_off() {
    let mut m = machine();
    drive(&mut m, 0, 10, ht(4), 32);
    let sent = drive(&mut m, 1000, 400, ht(4), 32);
    let probes: Vec<usize> = (0..sent.len()).filter(|&i| sent[i] == ht(5)).collect();
    let last: Vec<usize> = probes.windows(2).rev().take(10).map(|w| w[1] - w[0]).collect();
    // Reported 3 ms after it was chosen, barred for 32 ms: the first multiple of 3 ms not before 35 is 36.
    assert_eq!(last, [12; 10]);
    assert_eq!(m.current(), ht(4));
}

/// Both rates' statistics are reset; back-offs are none: that of the rate above stays, and the rate just left has none, having been reached by a
/// probe that succeeded.
#[test]
fn a_rate_that_dies_is_left_at_once_and_both_rates_statistics_are_reset() {
    let mut m = machine();
    drive(&mut m, 0, 40, ht(6), 32);
    let above = m.rates[7];
    assert_eq!((m.current(), above.b > 2, above.sent > 0), (ht(6), true, true));
    let c = m.normal();
    m.report(ms(203), &c, 2, 32, 0);
    assert_eq!(m.current(), ht(5));
    assert_eq!((m.rates[7].sent, m.rates[7].avg, m.rates[6].sent, m.rates[6].avg), (0, 0, 0, 0));
    assert_eq!((m.rates[7].b, m.rates[7].barred_until), (above.b, above.barred_until));
    assert_eq!((m.rates[6].b, m.choose(ms(204))[0].mode), (0, ht(6)), "nothing bars it");
}

/// Counts of a rate live until a step down: after probes that were lost, clean ones have to make up for them, 9 of 10 where 135 is in use for 150.
#[test]
fn probes_add_up() {
    let mut m = machine();
    drive(&mut m, 0, 8, ht(6), 32);
    let (mut probes, mut now) = (0, 100);
    while m.current() == ht(6) {
        probes += usize::from(drive(&mut m, now, 1, if probes < 2 { ht(6) } else { ht(7) }, 32)[0] == ht(7));
        now += 3;
    }
    assert_eq!(m.rates[6].b, 0);
    assert!((12..=20).contains(&probes), "{probes}: two lost ones of 32 frames, halved at 256");
}

/// ath9k says nothing of aggregates that are wholly lost: silence takes it down.
#[test]
fn silence_is_failure() {
    let mut m = machine();
    drive(&mut m, 0, 40, ht(7), 32);
    let sent = drive(&mut m, 200, 150, ht(2), 32);
    assert_eq!(m.current(), ht(2));
    let first = sent.iter().position(|s| *s == ht(2)).unwrap();
    assert!((50..=75).contains(&first), "four steps of 50 ms, the last by its fall-back: {first}");
    drive(&mut m, 10_000, 1, ht(2), 32);
    assert_eq!(m.current(), ht(2), "a pause is no silence");
}

/// A unit is formed, and another one after a silence of 50 ms, at the rate below. Whose report comes first tells whether anything was lost.
#[test]
fn a_unit_that_waits_for_the_air_is_not_lost() {
    let mut m = machine();
    drive(&mut m, 0, 40, ht(7), 32);
    let (known, downs) = (m.rates[7], m.counts().downs);
    let late = m.choose(ms(300));
    let after = m.choose(ms(350));
    assert_eq!((late[0].mode, after[0].mode, after[0].tries), (ht(7), ht(6), 2));
    m.report(ms(351), &late, 1, 32, 0);
    assert_eq!(
        (m.current(), m.counts().downs, m.rates[7].sent > known.sent),
        (ht(7), downs, true),
        "nothing is forgotten"
    );
    assert_eq!(m.choose(ms(352))[0].mode, ht(7));
    m.report(ms(355), &after, 1, 32, 0);
    assert_eq!(m.current(), ht(7), "its silence is over");

    m.choose(ms(400));
    let after = m.choose(ms(460));
    m.report(ms(463), &after, 1, 32, 0);
    assert_eq!(
        (m.current(), m.counts().downs, m.rates[7].sent),
        (ht(6), downs + 1, 0),
        "what was formed before it was lost"
    );
}

/// Each silence behind the first makes the step before it, though no unit is formed: who only waits for the air waits seldom for that long.
#[test]
fn silences_add_up() {
    for (asked, stays, sent_at) in [(349, 7, 7), (350, 7, 6), (399, 7, 6), (400, 6, 5), (450, 5, 4), (650, 1, 0)] {
        let mut m = machine();
        drive(&mut m, 0, 40, ht(7), 32);
        let late = m.choose(ms(300));
        assert_eq!(m.choose(ms(asked))[0].mode, ht(sent_at), "{asked}");
        m.report(ms(asked), &late, 1, 32, 0);
        assert_eq!(m.current(), ht(stays), "{asked}");
    }
    let mut m = machine();
    drive(&mut m, 0, 40, ht(7), 32);
    m.choose(ms(300));
    let c = super::super::Control::expect(&mut Control { peers: vec![m] }, ms(350), StaIx(0)).chain;
    assert_eq!(c[0].mode, ht(6), "the driver's own question is answered alike");
}

/// A probe that waits for the air is judged when it is heard of, and none goes out in silence.
#[test]
fn a_probe_that_waits_for_the_air_is_judged() {
    let mut m = machine();
    drive(&mut m, 0, 6, ht(6), 32);
    let probe = m.choose(ms(18));
    assert_eq!((m.current(), probe[0].mode, probe[0].tries), (ht(6), ht(7), 1));
    assert_eq!(m.choose(ms(80))[0].mode, ht(5));
    m.report(ms(81), &probe, 1, 32, 0);
    assert_eq!((m.current(), m.rates[7].b), (ht(7), 0));

    let mut m = machine();
    drive(&mut m, 0, 5, ht(6), 32);
    let (probe, other) = (m.choose(ms(15)), m.normal());
    assert_eq!(probe[0].mode, ht(6));
    m.report(ms(64), &other, 1, 32, 0);
    assert_eq!((m.rates[6].b, m.counts().probes_lost), (0, 0), "50 ms have to be over");
    m.report(ms(65), &other, 1, 32, 0);
    assert_eq!((m.rates[6].b, m.rates[6].barred_until), (1, ms(66)), "others are reported, it is not");
    assert_eq!(m.counts().probes_lost, 1);
}

/// A unit of before a step up goes at the same rates as one that is formed in silence, and is told from it.
#[test]
fn a_unit_of_before_a_step_up_ends_no_silence_by_a_step_down() {
    let mut m = machine();
    drive(&mut m, 0, 6, ht(6), 32);
    let (probe, older) = (m.choose(ms(18)), m.choose(ms(18)));
    m.report(ms(21), &probe, 1, 32, 0);
    m.choose(ms(24));
    let silent = m.choose(ms(80));
    assert_eq!((m.current(), older[0], older[1]), (ht(7), silent[0], silent[1]));
    m.report(ms(81), &older, 1, 32, 0);
    assert_eq!(m.current(), ht(7));
}

/// MCS 7 at 80 % of its frames carries less than MCS 6 at 100 %, and more than MCS 5.
#[test]
fn throughput_decides() {
    for (bad, up) in [(0, true), (2, true), (8, false)] {
        let mut m = machine();
        drive(&mut m, 0, 6, ht(6), 32);
        assert_eq!((m.current(), m.rates[7].sent), (ht(6), 0));
        let chain = m.choose(ms(18));
        assert_eq!(chain[0].mode, ht(7));
        m.report(ms(21), &chain, 1, 32, bad);
        assert_eq!(m.current() == ht(7), up, "{bad} bad");
    }
}

/// A loss that comes bit by bit, on the current rate.
#[test]
fn a_rate_that_gets_poor_is_left() {
    let mut m = machine();
    drive(&mut m, 0, 30, ht(6), 32);
    for i in 0..12 {
        let c = m.normal();
        m.report(ms(200 + 3 * i), &c, 1, 32, 10);
    }
    assert!(m.current().mcs() < 6, "{:?}", m.current());
}

#[test]
fn a_collision_before_an_answer_is_not_counted() {
    let mut m = machine();
    drive(&mut m, 0, 30, ht(6), 32);
    let before = m.rates[6].failed;
    let c = m.normal();
    m.report(ms(100), &c, 1, 32, 0); // at its second try
    assert_eq!(m.rates[6].failed, before);
}

#[test]
fn ladders() {
    assert_eq!(ladder(ht(3)).len(), 8, "a lower MCS as the fastest names streams, width and guard interval");
    let two: Vec<u64> = ladder(ht(15)).iter().map(|m| m.rate().bps() / 1_000_000).collect();
    assert_eq!(two, [15, 30, 45, 60, 90, 120, 135, 150, 180, 240, 270, 300]);
    assert_eq!(ladder(ht(15))[4], ht(4), "of two with one rate, that with fewer streams");
    let ac = ladder(Mode::Vht(Vht::new(9, 1, Width::Mhz80, true).unwrap()));
    assert_eq!((ac.len(), ac[9].mcs()), (10, 9));
    let ax = ladder(Mode::He(He::new(0, 2, Width::Mhz80, Gi::Us0_8).unwrap()));
    // Twelve of one stream, and MCS 5 to 11 of two, the first of which is below MCS 11 of one.
    assert_eq!((ax.len(), ax[11].mcs(), ax[11].streams(), ax[18].rate().bps() / 100_000), (19, 5, 2, 12_009));
    assert!(ax.iter().all(|m| matches!(m, Mode::He(h) if h.width == Width::Mhz80 && h.gi == Gi::Us0_8)));
}

fn told(esnr: i16) -> Feedback {
    Feedback { esnr: [esnr; 4], snr: esnr + 300 }
}

fn aarc(name: &str) -> Machine {
    let p = aarc::Params { delay: Span::ZERO, ..aarc::Params::default() };
    let guide = aarc::Guide::new(&p, name == "snr", crate::sim::Streams::new(1).get("ap", "x"));
    Machine::new(&Params::default(), ht(7), Some(guide))
}

/// A back-off of 256 ms is cut short by more than 1 dB, and by no less.
#[test]
fn feedback_lifts_a_bar() {
    for name in ["esnr", "snr"] {
        let mut m = aarc(name);
        drive(&mut m, 0, 10, ht(4), 32);
        for i in 0..400 {
            m.feedback(ms(30 + 3 * i), ht(4), true, &told(2000));
            drive(&mut m, 30 + 3 * i, 1, ht(4), 32);
        }
        assert_eq!(m.rates[5].b, 8, "{name}");
        let before = m.counts();
        let at = m.rates[5].barred_until - Span::from_ms(200);
        let ask = |m: &mut Machine, now: Time, esnr: i16| {
            m.feedback(now, ht(4), true, &told(esnr));
            let c = m.choose(now);
            m.report(now, &c, if c[0].mode == ht(4) { 1 } else { 2 }, 32, 0);
            c[0].mode
        };
        assert_eq!(ask(&mut m, at, 2100), ht(4), "{name}: 1 dB is not more than 1 dB");
        assert_eq!(ask(&mut m, at + Span::from_ms(3), 2101), ht(5), "{name}");
        assert_eq!((m.counts().forced, m.counts().forced_ok), (before.forced + 1, 0));
        assert_eq!(ask(&mut m, at + Span::from_ms(6), 2150), ht(4), "{name}: the reference is the new one");
        assert_eq!(m.rates[5].reference, Some(if name == "snr" { 2401 } else { 2101 }));
        let c = m.counts();
        assert_eq!((c.reports, c.heard), (403, 403), "all that were sent");
        assert_eq!(c.lifted, c.forced, "each bar that fell was followed by a probe");
        assert_eq!(c.age_ns, 0, "no delay, and a choice at once");
    }
}

/// A report is as old as its way and the wait for the next unit make it.
#[test]
fn reports_age() {
    let p = aarc::Params { delay: Span::from_ms(2), ..aarc::Params::default() };
    let guide = aarc::Guide::new(&p, false, crate::sim::Streams::new(1).get("ap", "x"));
    let mut m = Machine::new(&Params::default(), ht(7), Some(guide));
    m.feedback(ms(1), ht(0), true, &told(2000));
    m.feedback(ms(2), ht(0), true, &told(2000));
    m.choose(ms(3));
    assert_eq!((m.counts().reports, m.counts().heard, m.counts().age_ns), (2, 1, 2_000_000));
    m.choose(ms(7));
    assert_eq!((m.counts().heard, m.counts().age_ns), (2, 7_000_000));
}
