//! Runs the standard workloads once each and prints one line of JSON a workload: name, simulated and wall seconds, events,
//! packets, goodput and the process's peak memory. `wavetank-bench [--flows=SECONDS] [--set=KEY=VALUE]... [NAME]...`

use std::time::Instant;
use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};
use wavetank_core::workloads;

/// Peak resident set of this process, MB (10^6 bytes); NaN where the system does not tell.
fn peak_rss_mb() -> f64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|s| s.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok()))
        .map_or(f64::NAN, |kib: f64| kib * 1024.0 / 1e6)
}

fn refuse(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

fn main() {
    let mut wanted: Vec<String> = Vec::new();
    let mut set: Vec<(String, String)> = Vec::new();
    for a in std::env::args().skip(1) {
        if let Some(s) = a.strip_prefix("--flows=") {
            set.push(("time.flows".into(), format!("{s} s")));
        } else if let Some(kv) = a.strip_prefix("--set=") {
            let (k, v) = kv.split_once('=').unwrap_or_else(|| refuse("--set: expected KEY=VALUE"));
            set.push((k.into(), v.into()));
        } else if workloads::ALL.iter().any(|w| w.name == a) {
            wanted.push(a);
        } else {
            let names: Vec<_> = workloads::ALL.iter().map(|w| w.name).collect();
            refuse(&format!("there is no workload \"{a}\"; expected one of {}", names.join(", ")));
        }
    }
    for w in workloads::ALL.iter().filter(|w| wanted.is_empty() || wanted.iter().any(|n| n == w.name)) {
        let source = Source { path: w.name, text: w.text };
        let scenario = read(&source, &set).unwrap_or_else(|e| refuse(&e.to_string()));
        let world = World::new(&scenario).unwrap_or_else(|e| refuse(&e));
        let start = Instant::now();
        let out = world.run();
        let wall = start.elapsed().as_secs_f64();
        let goodput: f64 = out.flows.iter().map(|f| f.goodput_mbit(out.window)).sum();
        println!(
            "{{\"name\": \"{}\", \"simulated_s\": {}, \"wall_s\": {wall:.4}, \"events\": {}, \"packets\": {}, \
             \"delivered\": {}, \"goodput_mbit\": {goodput:.3}, \"core_peak_rss_mb\": {:.1}}}",
            w.name,
            out.simulated.as_s(),
            out.events,
            out.ledger.made,
            out.ledger.delivered,
            peak_rss_mb(),
        );
    }
}
