use super::*;
use crate::phy::{Gi, He, Ht, Ofdm, Vht, Width};

fn ht(mcs: u8) -> Mode {
    Mode::Ht(Ht::new(mcs, true, true).unwrap())
}

fn channel(par: &Params, ends: usize, mhz: u8, streams: u32, seed: u64) -> Channel {
    let ends: Vec<End> = (0..ends).map(|i| End { name: format!("sta{}", i + 1), snr: None }).collect();
    Channel::new(par, &floor::Params::default(), &ends, (mhz, Band::Ghz5), streams, &Streams::new(seed))
}

fn flat(snr: f64) -> Params {
    Params { on: true, snr, delay_spread: Span::ZERO, k_db: 60.0, ..Params::default() }
}

fn ms(n: i64) -> Time {
    Time::ZERO + Span::from_ms(n)
}

/// What the closed form gives within 0.1 dB of that SNR: what is left of scattering moves it by a hundredth.
fn is_at(got: f64, m: Modulation, r: CodeRate, db: f64) -> bool {
    let at = |db| r.per_octet(libm::exp(ln_bhattacharyya(m, &[1.0], linear(db) as f32).unwrap()));
    (at(db + 0.1).max(1e-30)..=at(db - 0.1).max(1e-30)).contains(&got.max(1e-30))
}

/// A flat channel is Table 5.2 and the code alone.
#[test]
fn flat_channel_by_the_closed_form() {
    let mut c = channel(&flat(23.0), 1, 40, 1, 1);
    for (mcs, (m, r)) in MCS[..8].iter().enumerate() {
        let got = c.per_octet(ms(5), 0, Way::Down, ht(mcs as u8));
        assert!(is_at(got, *m, *r, 23.0), "MCS {mcs}: {got} for {}", r.per_octet(m.ber(linear(23.0))));
    }
    // Half the width, all of the power: 3 dB more.
    let half = c.per_octet(ms(5), 0, Way::Down, Mode::Ht(Ht::new(6, false, true).unwrap()));
    assert!(is_at(half, Modulation::Qam64, CodeRate::ThreeQuarters, 23.0 + 3.0103));
    let mut c = channel(&Params { decisions: Decisions::Hard, ..flat(23.0) }, 1, 40, 1, 1);
    let got = c.per_octet(ms(5), 0, Way::Down, ht(6));
    let at = |db| CodeRate::ThreeQuarters.per_octet(hard(Modulation::Qam64.ber(linear(db))));
    assert!((at(23.1)..at(22.9)).contains(&got), "hard decisions: {got}");
    let mut c = channel(&flat(23.0), 1, 40, 1, 1);
    let dup = c.per_octet(ms(5), 0, Way::Down, Mode::Ofdm(Ofdm::R54));
    assert!(is_at(dup, Modulation::Qam64, CodeRate::ThreeQuarters, 23.0), "a duplicate has the whole width's SNR");
}

/// A flat channel's SNR in 22 MHz, at 20 MHz 0.41 dB less; at 40 MHz all power goes into the primary half: 2.6 dB more. Preambles change nothing.
#[test]
fn dsss_by_its_closed_form() {
    use crate::phy::{Dsss, Hr};
    for (mhz, db) in [(20, -0.414), (40, 2.596)] {
        let mut c = channel(&flat(5.0), 1, mhz, 1, 1);
        for rate in Dsss::ALL {
            let got = |c: &mut Channel, short| c.per_octet(ms(5), 0, Way::Down, Mode::Dsss(Hr { rate, short }));
            let at = |more| dsss::per_octet(rate, linear(5.0 + db + more)).max(1e-30);
            let (long, short) = (got(&mut c, false), got(&mut c, true));
            assert!((at(0.1)..=at(-0.1)).contains(&long.max(1e-30)), "{rate:?} {mhz}: {long}, not {}", at(0.0));
            assert_eq!(long, short);
        }
    }
}

fn he(mcs: u8, streams: u8, width: Width) -> Mode {
    Mode::He(He::new(mcs, streams, width, Gi::Us0_8).unwrap())
}

/// HE's MCSs to 9 are VHT's, and MCS 10 and 11 have 1024-QAM.
#[test]
fn he_by_the_closed_form() {
    let mut c = channel(&flat(31.0), 1, 80, 1, 1);
    for (mcs, (m, r)) in (0..).zip(MCS) {
        let got = c.per_octet(ms(5), 0, Way::Down, he(mcs, 1, Width::Mhz80));
        assert!(is_at(got, m, r, 31.0), "MCS {mcs}: {got}");
        if let Some(vht) = Vht::new(mcs, 1, Width::Mhz80, true) {
            assert_eq!(c.per_octet(ms(5), 0, Way::Down, Mode::Vht(vht)), got);
        }
    }
    let mut c = channel(&Params { decisions: Decisions::Hard, ..flat(33.0) }, 1, 80, 1, 1);
    let got = c.per_octet(ms(5), 0, Way::Down, he(10, 1, Width::Mhz80));
    let at = |db| CodeRate::ThreeQuarters.per_octet(hard(Modulation::Qam1024.ber(linear(db))));
    assert!((at(33.1)..at(32.9)).contains(&got), "hard decisions: {got}");
}

/// What is lost of MPDUs of 1500 octets over a flat channel falls below a tenth at an SNR that each MCS has higher than the one below it.
#[test]
fn thresholds_rise_with_he() {
    let mut c: Vec<Channel> = (0..=400).map(|i| channel(&flat(f64::from(i) / 10.0), 1, 80, 1, 1)).collect();
    let mut lost = |mcs, i: usize| {
        let x = c[i].per_octet(ms(1), 0, Way::Down, he(mcs, 1, Width::Mhz80));
        1.0 - libm::exp(-1500.0 * x)
    };
    let t: Vec<f64> = (0..12).map(|mcs| (0..=400).find(|&i| lost(mcs, i) < 0.1).unwrap() as f64 / 10.0).collect();
    assert!(t.windows(2).all(|w| w[0] < w[1]), "{t:?}");
    for (mcs, wanted) in [(0, 1.7), (9, 26.7), (10, 31.0), (11, 32.5)] {
        assert!((t[mcs] - wanted).abs() < 0.2, "MCS {mcs}: {t:?}");
    }
}

/// What is kept of a mode is no other's: asked after all others, each tells what it tells alone.
#[test]
fn modes_have_places_of_their_own() {
    let p = Params { k_db: -40.0, delay_spread: Span::from_ns(50), ..flat(24.0) };
    let mut modes: Vec<Mode> = Ofdm::ALL.map(Mode::Ofdm).into();
    for (w, n) in Width::ALL.into_iter().flat_map(|w| (1..=4).map(move |n| (w, n))) {
        modes.extend((0..12).map(|m| he(m, n, w)));
        modes.extend((0..10).filter_map(|m| Vht::new(m, n, w, true)).map(Mode::Vht));
    }
    modes.extend((0..32).flat_map(|m| [false, true].map(|w| Mode::Ht(Ht::new(m, w, true).unwrap()))));
    let mut all = channel(&p, 1, 160, 4, 1);
    for &m in &modes {
        all.per_octet(ms(1), 0, Way::Up, m);
    }
    let fresh = channel(&p, 1, 160, 4, 1);
    for &m in &modes {
        let alone = fresh.clone().per_octet(ms(1), 0, Way::Up, m);
        assert_eq!(all.per_octet(ms(1), 0, Way::Up, m), alone, "{m:?}");
    }
}

#[test]
fn two_streams_share_the_power() {
    let mut c = channel(&flat(26.0103), 1, 40, 2, 1);
    let got = c.per_octet(ms(5), 0, Way::Up, ht(15));
    assert!(is_at(got, Modulation::Qam64, CodeRate::FiveSixths, 23.0), "{got}");
}

#[test]
fn eighty_megahertz_has_its_own_modes() {
    let mut c = channel(&flat(35.0), 1, 80, 3, 1);
    let at = |c: &mut Channel, m, n, w| c.per_octet(ms(1), 0, Way::Down, Mode::Vht(Vht::new(m, n, w, true).unwrap()));
    let (narrow, wide) = (at(&mut c, 8, 1, Width::Mhz20), at(&mut c, 8, 1, Width::Mhz80));
    assert!(narrow < wide, "a quarter of the width has 6 dB more");
    assert!(at(&mut c, 8, 3, Width::Mhz80) > wide);
}

#[test]
fn asking_more_often_changes_nothing_and_neither_does_another_station() {
    let p = Params {
        doppler: 20.0,
        power_step: Span::from_ms(8),
        burst_every: Span::from_ms(50),
        drift_db: 3.0,
        ..flat(25.0)
    };
    let p = Params { k_db: 0.0, delay_spread: Span::from_ns(50), ..p };
    let (mut a, mut b) = (channel(&p, 1, 40, 1, 9), channel(&p, 2, 40, 1, 9));
    let often: Vec<f64> = (0..1000).map(|i| a.per_octet(ms(i), 0, Way::Down, ht(4))).collect();
    for i in (0..1000).step_by(37) {
        b.per_octet(ms(i), 1, Way::Up, ht(7));
        b.feedback(ms(i), 1, Way::Up);
        assert_eq!(b.per_octet(ms(i), 0, Way::Down, ht(4)), often[i as usize]);
    }
    assert!(often.iter().any(|x| *x > 1e-3) && often.iter().any(|x| *x < 1e-6), "it does change");
}

#[test]
fn power_walks_on_the_way_down_only() {
    let p = Params { power_step: Span::from_ms(8), ..flat(25.0) };
    let mut c = channel(&p, 1, 40, 1, 2);
    let down: Vec<f64> = (0..4000).map(|i| c.snr_db(ms(i), 0, Way::Down)).collect();
    assert!(down.iter().all(|d| (11.0..=25.0).contains(d)) && down.iter().any(|d| *d < 15.0));
    assert!((0..100).all(|i| c.snr_db(ms(4000 + i), 0, Way::Up) == 25.0));
}

/// Bands as the thesis has them (Figures 5.7, 5.8, 5.12): raw CSI over 3 dB, normalised about 1 dB, SNR within 1 dB and its rounding; and the raw
/// power does not tell the SNR.
#[test]
fn reports_are_the_hardwares() {
    let (mut raw, mut normal, mut snrs) = (Vec::new(), Vec::new(), Vec::new());
    let mut c = channel(&Params { k_db: 3.0, delay_spread: Span::from_ns(50), ..flat(28.0) }, 1, 40, 1, 5);
    for i in 0..400 {
        c.feedback(ms(i), 0, Way::Down);
        let (snr, csi) = c.last_report(0, Way::Down);
        assert_eq!(csi.len(), 228);
        assert!(csi.iter().all(|x| (-512..=511).contains(x)));
        let p = |k: usize| f64::from(csi[2 * k]).powi(2) + f64::from(csi[2 * k + 1]).powi(2);
        let mean = (0..114).map(p).sum::<f64>() / 114.0;
        raw.push(10.0 * p(20).log10());
        normal.push(10.0 * (p(20) / mean).log10());
        snrs.push(snr[0]);
    }
    let band = |mut x: Vec<f64>| {
        x.sort_by(f64::total_cmp);
        x[x.len() * 95 / 100] - x[x.len() * 5 / 100]
    };
    let (raw, normal) = (band(raw), band(normal));
    assert!((2.0..4.0).contains(&raw) && (0.3..1.6).contains(&normal), "{raw} {normal}");
    assert!(band(snrs) <= 1.0);
}

#[test]
fn feedback_follows_the_channel() {
    let esnr = |snr| {
        let mut c = channel(&flat(snr), 1, 40, 1, 3);
        let all: Vec<Feedback> = (0..60).map(|i| c.feedback(ms(4 * i), 0, Way::Down)).collect();
        all[59]
    };
    for db in [8.0, 16.0, 24.0, 30.0] {
        let f = esnr(db);
        assert!((f64::from(f.snr) - 100.0 * db).abs() < 60.0, "{f:?} at {db}");
        // The estimate's noise looks like fading, to which sparse modulations are the more sensitive.
        assert!((f64::from(f.esnr[3]) - 100.0 * db).abs() < 100.0, "{f:?} at {db}");
        assert!(f.esnr.windows(2).all(|w| w[0] <= w[1]) && f.esnr[3] <= f.snr + 2, "{f:?} at {db}");
    }
}

/// On the floor what stands still is the place's: the same in every run; what moves is the run's own.
#[test]
fn a_place_keeps_its_multipath() {
    let losses = |topology, moving, seed, streams| {
        let p = Params { on: true, doppler: 5.0, moving, k_db: 0.0, ..Params::default() };
        let f = floor::Params { topology, ..floor::Params::default() };
        let ends: Vec<End> = (0..4).map(|i| End { name: format!("sta{}", i + 1), snr: Some(20.0) }).collect();
        let mut c = Channel::new(&p, &f, &ends, (40, Band::Ghz5), streams, &Streams::new(seed));
        let mode = if streams == 2 { ht(12) } else { ht(5) };
        [0, 1, 2, 3].map(|i| c.per_octet(ms(40), i, Way::Down, mode))
    };
    assert_eq!(losses(2, 0.0, 1, 1), losses(2, 0.0, 2, 1), "the same in every run");
    assert_ne!(losses(2, 0.5, 1, 1), losses(2, 0.5, 2, 1), "but for what moves");
    assert_eq!(losses(2, 0.0, 1, 1)[0], losses(50, 0.0, 1, 1)[0], "S stays where it is");
    assert_ne!(losses(2, 0.0, 1, 1)[1], losses(7, 0.0, 1, 1)[1], "another placement is another place");
    assert_ne!(losses(0, 0.0, 1, 1), losses(0, 0.0, 2, 1), "without a floor each run draws its own");
    assert_ne!(losses(2, 0.0, 1, 1), losses(2, 0.0, 1, 2), "streams have paths of their own");
}
