//! Runs the standard workloads once each and prints one line of JSON a workload: name, simulated and wall seconds, events,
//! goodput and the process's peak memory. `wavetank-bench [NAME]...`

use std::time::Instant;
use wavetank_core::net::World;
use wavetank_core::workloads;

/// Peak resident set of this process, MB (10^6 bytes); NaN where the system does not tell.
fn peak_rss_mb() -> f64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|s| s.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok()))
        .map_or(f64::NAN, |kib: f64| kib * 1024.0 / 1e6)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(bad) = wanted.iter().find(|w| !workloads::ALL.iter().any(|k| k.name == w.as_str())) {
        let names: Vec<_> = workloads::ALL.iter().map(|w| w.name).collect();
        eprintln!("there is no workload \"{bad}\"; expected one of {}", names.join(", "));
        std::process::exit(2);
    }
    for w in workloads::ALL.iter().filter(|w| wanted.is_empty() || wanted.iter().any(|n| n == w.name)) {
        let world = World::new(&w.scenario(&[])).expect("a shipped workload builds");
        let start = Instant::now();
        let out = world.run();
        let wall = start.elapsed().as_secs_f64();
        let goodput: f64 = out.flows.iter().map(|f| f.goodput_mbit(out.window)).sum();
        println!(
            "{{\"name\": \"{}\", \"simulated_s\": {}, \"wall_s\": {wall:.4}, \"events\": {}, \"packets\": {}, \
             \"goodput_mbit\": {goodput:.3}, \"core_peak_rss_mb\": {:.1}}}",
            w.name,
            out.simulated.as_s(),
            out.events,
            out.ledger.made,
            peak_rss_mb(),
        );
    }
}
