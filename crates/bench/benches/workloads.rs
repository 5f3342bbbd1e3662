//! The three standard workloads, whole, per simulated second: `cargo bench --bench workloads`.

use divan::{Bencher, counter::ItemsCount};
use wavetank_core::net::World;
use wavetank_core::workloads::{ALL, Workload};

fn main() {
    divan::main();
}

fn name(i: usize) -> &'static str {
    ALL[i].name
}

/// Flows of ten seconds; the items a second are simulated milliseconds a wall second.
#[divan::bench(args = [0, 1, 2].map(name), sample_count = 5, sample_size = 1)]
fn simulated_ms(bencher: Bencher<'_, '_>, name: &str) {
    let w: &Workload = ALL.iter().find(|w| w.name == name).expect("a workload");
    let scenario = w.scenario(&[("time.flows", "10 s")]);
    bencher
        .counter(ItemsCount::new(20_000_u32))
        .with_inputs(|| World::new(&scenario).expect("a shipped workload builds"))
        .bench_values(World::run);
}
