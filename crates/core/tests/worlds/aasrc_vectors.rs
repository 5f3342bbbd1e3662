//! The model's AASRC and AARC decide what the kernel's module decides: units and feedback of `linux/tests/vectors/aasrc.c`, which runs the
//! module's own file, are given to the model's state machine; every rate that a unit is sent at, and every current rate, must be equal.

use std::collections::HashMap;
use wavetank_core::phy::channel::Feedback;
use wavetank_core::phy::{Ht, Mode};
use wavetank_core::rate::{aarc, aasrc};
use wavetank_core::sim::{Span, Streams, Time};

const VECTORS: &str = include_str!("aasrc_vectors.txt");

fn mcs(n: u8) -> Mode {
    Mode::Ht(Ht::new(n, true, true).unwrap())
}

fn machine(kind: &str) -> aasrc::Machine {
    let par = aarc::Params { delay: Span::ZERO, ..aarc::Params::default() };
    let guide =
        (kind != "aasrc").then(|| aarc::Guide::new(&par, kind == "aarc_snr", Streams::new(1).get("ap", "test")));
    aasrc::Machine::new(&aasrc::Params::default(), mcs(7), guide)
}

#[test]
fn every_decision_is_the_modules() {
    let mut m = machine("aasrc");
    let mut out = HashMap::new();
    let (mut units, mut probes, mut feedback) = (0, 0, 0);
    for (i, line) in VECTORS.lines().enumerate() {
        let (what, rest) = line.split_once(' ').unwrap();
        if what == "machine" {
            m = machine(rest);
            out.clear();
            continue;
        }
        let n: Vec<i64> = rest.split(' ').map(|w| w.parse().unwrap()).collect();
        let now = Time::ZERO + Span::from_ns(n[0]);
        match what {
            "c" => {
                let chain = m.choose(now);
                let links = chain.iter().filter(|a| a.tries > 0).count() as i64;
                assert_eq!((i64::from(chain[0].mode.mcs()), links), (n[1], n[2]), "line {}: {line}", i + 1);
                probes += usize::from(chain[0].tries == 1);
                // two may be asked for at the same time: the later one is reported later
                out.entry(n[0]).or_insert_with(std::collections::VecDeque::new).push_back(chain);
            }
            "r" => {
                let chain = out.get_mut(&n[1]).unwrap().pop_front().unwrap();
                m.report(now, &chain, n[2] as usize, n[3] as u16, n[4] as u16);
                assert_eq!(i64::from(m.current().mcs()), n[5], "line {}: {line}", i + 1);
                units += 1;
            }
            "f" => {
                let esnr = [n[1], n[2], n[3], n[4]].map(|v| v as i16);
                m.feedback(now, m.current(), true, &Feedback { esnr, snr: n[5] as i16 });
                feedback += 1;
            }
            other => panic!("line {}: {other}", i + 1),
        }
    }
    assert!(units == 1800 && probes > 300 && feedback > 500, "{units} {probes} {feedback}");
}
