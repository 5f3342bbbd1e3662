//! The first two seconds of flows of every workload give the digests that are kept beside this file, in debug and release
//! builds alike. After a change of behaviour that is meant: `WAVETANK_BLESS=1 cargo test --test worlds golden`, and a line in the
//! change log.

use wavetank_core::net::World;
use wavetank_core::workloads;

const KEPT: &str = include_str!("golden.txt");

fn digests() -> String {
    let short = [("time.lead_in", "200 ms"), ("time.flows", "2 s"), ("time.tail", "0 s"), ("time.warmup", "1 s")];
    workloads::ALL
        .iter()
        .map(|w| {
            let mut world = World::new(&w.scenario(&short)).unwrap();
            world.run_until(wavetank_core::sim::Time::NEVER);
            assert_eq!(world.unaccounted(), 0, "{} loses packets", w.name);
            format!("{} {:016x}\n", w.name, world.finish().digest)
        })
        .collect()
}

#[test]
fn first_two_seconds() {
    let now = digests();
    if std::env::var_os("WAVETANK_BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/worlds/golden.txt");
        std::fs::write(file, &now).unwrap();
        return;
    }
    assert_eq!(now, KEPT, "the digests moved (left: now, right: kept)");
}

#[test]
fn twice_the_same() {
    assert_eq!(digests(), digests());
}
