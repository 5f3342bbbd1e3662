//! Prints ours beside each row of `ns3-saturation.csv`: `cargo run --release --example dcf_table -- FILE [SECONDS] [SEEDS] [eifs]`.

use wavetank_core::sim::Span;
use wavetank_core::wifi::{medium, saturation};

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("the file's path");
    let secs: i64 = args.next().map_or(12, |s| s.parse().expect("seconds"));
    let seeds: u64 = args.next().map_or(3, |s| s.parse().expect("seeds"));
    let collision_eifs = args.next().is_some_and(|s| s == "eifs");
    let text = std::fs::read_to_string(file).expect("readable");
    let mut errors = vec![];
    let (start, mut events) = (std::time::Instant::now(), 0);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let mode = saturation::mode_named(f[1], f[3].parse().expect("a width"), f[6] == "1").expect("a mode's name");
        let p = saturation::Params {
            stations: f[4].parse().unwrap(),
            max_ampdu_bytes: f[5].parse().unwrap(),
            rts: f[7] == "1",
            down: f[2] == "down",
            payload: f[8].parse().unwrap(),
            ..saturation::Params::default()
        };
        let (theirs, sd): (f64, f64) = (f[9].parse().unwrap(), f[10].parse().unwrap());
        let medium = medium::Params { collision_eifs, ..medium::Params::default() };
        let runs: Vec<_> = (0..seeds).map(|s| saturation::run(&p, medium, mode, Span::from_s(secs), s)).collect();
        events += runs.iter().map(|r| r.events).sum::<u64>();
        let ours = runs.iter().map(|r| r.goodput_mbit).sum::<f64>() / seeds as f64;
        let e = ours / theirs - 1.0;
        errors.push(e.abs());
        println!(
            "{:<15} n={:<2} ampdu={:<5} rts={} theirs {:8.3} sd {:.3} ours {:8.3} {:+6.2} % {:+7.1} sd",
            f[1],
            p.stations,
            p.max_ampdu_bytes,
            f[7],
            theirs,
            sd,
            ours,
            e * 100.0,
            (ours - theirs) / sd.max(1e-9)
        );
    }
    errors.sort_by(f64::total_cmp);
    let wall = start.elapsed().as_secs_f64();
    println!("median {:.2} %, worst {:.2} %", errors[errors.len() / 2] * 100.0, errors[errors.len() - 1] * 100.0);
    println!("{events} events in {wall:.2} s: {:.0} ns an event", wall * 1e9 / events as f64);
}
