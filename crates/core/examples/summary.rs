//! Runs a scenario file and prints what came of it: `cargo run --release --example summary -- FILE [key=value]...`

use std::process::exit;
use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};

fn percentile(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() { f64::NAN } else { sorted[((sorted.len() - 1) as f64 * p).round() as usize] }
}

fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut v: Vec<f64> = values.filter(|x| !x.is_nan()).collect();
    v.sort_by(f64::total_cmp);
    format!("{:.2} / {:.2} / {:.2}", percentile(&v, 0.1), percentile(&v, 0.5), percentile(&v, 0.9))
}

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| {
        eprintln!("usage: summary FILE [key=value]...");
        exit(2)
    });
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| {
        eprintln!("{path}: {e}");
        exit(2)
    });
    let sets: Vec<(String, String)> =
        args.filter_map(|a| a.split_once('=').map(|(k, v)| (k.to_string(), v.to_string()))).collect();
    let s = read(&Source { path: &path, text: &text }, &sets).unwrap_or_else(|e| {
        eprintln!("{e}");
        exit(2)
    });
    let start = std::time::Instant::now();
    let mut world = World::new(&s).unwrap_or_else(|e| {
        eprintln!("{path}: {e}");
        exit(2)
    });
    world.run_until(wavetank_core::sim::Time::NEVER);
    let lost = world.unaccounted();
    let out = world.finish();
    let wall = start.elapsed().as_secs_f64();
    let (from, to) = (out.window.0.as_s(), out.window.1.as_s());
    let within = |t: &[f64], v: &[f64]| -> Vec<f64> {
        t.iter().zip(v).filter(|(t, _)| (from..=to).contains(*t)).map(|(_, v)| *v).collect()
    };
    for f in &out.flows {
        let c = &f.series;
        println!(
            "{:12} {:8.3} Mbit/s  cwnd {}  srtt {} ms  retrans {} rtos {}",
            f.plan.name,
            f.goodput_mbit(out.window),
            spread(within(&c.t, &c.snd_cwnd).into_iter()),
            spread(within(&c.t, &c.srtt_ms).into_iter()),
            f.retransmits,
            f.rtos
        );
    }
    for e in &out.echoes {
        println!("{:12} {} ms", e.name, spread(within(&e.t, &e.rtt_ms).into_iter()));
    }
    for n in &out.nodes {
        let ppdus: u64 = n.ampdu_hist.iter().sum();
        let mpdus: u64 = n.ampdu_hist.iter().enumerate().map(|(i, k)| i as u64 * k).sum();
        println!(
            "{:12} {ppdus} PPDUs, {:.2} MPDUs each, {:.1} % alone, {:.1} % unanswered, airtime {:.3}",
            n.name,
            mpdus as f64 / ppdus as f64,
            100.0 * n.ampdu_hist[1] as f64 / ppdus as f64,
            100.0 * n.unanswered as f64 / ppdus as f64,
            n.airtime_fraction
        );
    }
    for (place, reason, n) in out.ledger.named() {
        println!("dropped      {}.{} {n}", place.name(), reason.name());
    }
    println!(
        "{} s in {wall:.3} s: {:.0} times real time; {} events, {} packets, {:.0} ns a packet; digest {:016x}; lost {lost}",
        out.simulated.as_s(),
        out.simulated.as_s() / wall,
        out.events,
        out.ledger.made,
        wall * 1e9 / out.ledger.made as f64,
        out.digest
    );
}
