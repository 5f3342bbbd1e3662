//! Whatever is set within its range, on any scenario that is shipped, runs to its end with every packet accounted for, or is refused with a
//! reason. More cases than a test has time for: `WAVETANK_CASES=20000 cargo test --release -p wavetank-core --test worlds any_setting`.

use std::fs;
use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read, schema};
use wavetank_core::sim::params::Param;
use wavetank_core::sim::{Stream, Streams, Time};

/// The scenarios that are shipped, by name.
fn shipped() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/scenarios");
    let mut all: Vec<_> = fs::read_dir(folder)
        .expect("the scenarios are beside the crates")
        .map(|f| f.expect("a file").path())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&p).expect("a scenario")))
        .collect();
    all.sort();
    all
}

fn one<'a, T>(rng: &mut Stream, of: &'a [T]) -> &'a T {
    &of[rng.bits() as usize % of.len()]
}

/// A value of a parameter: a name, an end of its range, or up to a thousand times less or more than the default.
fn value(rng: &mut Stream, p: &Param) -> Option<String> {
    let names: Vec<&str> = p.range.split(" | ").collect();
    if names.len() > 1 {
        return Some(one(rng, &names).to_string());
    }
    if p.kind == "switch" {
        return Some(one(rng, &["true", "false"]).to_string());
    }
    let (low, high) = p.range.split_once(" to ")?;
    let (number, unit) = p.default.split_once(' ').unwrap_or((&p.default, ""));
    match number.parse::<f64>() {
        Ok(x) if rng.unit() < 0.7 => {
            let x = x * 2f64.powf(20.0 * rng.unit() - 10.0);
            let whole = !p.default.contains('.') && !low.contains('.');
            Some(format!("{} {unit}", if whole { x.ceil() } else { x }).trim_end().to_string())
        }
        _ => Some(one(rng, &[low, high]).to_string()),
    }
}

#[test]
fn runs_or_says_why_not() {
    let (scenarios, keys) = (shipped(), schema());
    let cases = std::env::var("WAVETANK_CASES").map_or(400, |n| n.parse().expect("WAVETANK_CASES: a number"));
    let short = [("time.lead_in", "0 ms"), ("time.flows", "300 ms"), ("time.warmup", "50 ms"), ("time.tail", "0 ms")];
    let (mut ran, mut refused) = (0, 0);
    for case in 0..cases {
        let mut rng = Streams::new(case).get("any setting", "case");
        let (name, text) = one(&mut rng, &scenarios);
        let mut set: Vec<(String, String)> = short.map(|(k, v)| (k.to_string(), v.to_string())).into();
        for _ in 0..1 + rng.bits() % 5 {
            let (section, p) = one(&mut rng, &keys);
            let Some(v) = value(&mut rng, p).filter(|_| *section != "time" && !section.is_empty()) else { continue };
            let v = if (*section, p.key) == ("wifi", "stations") { (case % 20 + 1).to_string() } else { v };
            set.push((format!("{section}.{}", p.key), v));
        }
        println!("case {case}: {name} {:?}", &set[short.len()..]);
        let world = match read(&Source { path: name, text }, &set) {
            Ok(s) => World::new(&s).map_err(|e| e.to_string()),
            Err(e) => Err(e.to_string()),
        };
        match world {
            Ok(mut w) => {
                w.run_until(Time::NEVER);
                assert_eq!(w.unaccounted(), 0);
                ran += 1;
            }
            Err(e) => {
                assert!(e.len() > 20, "a reason: {e}");
                refused += 1;
            }
        }
    }
    assert!(ran > refused, "{ran} ran, {refused} were refused");
}
