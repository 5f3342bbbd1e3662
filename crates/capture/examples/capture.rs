//! Captures a scenario's air: `cargo run --release --example capture SCENARIO.toml OUT.pcapng [KEY=VALUE]...`

use wavetank_capture::write::About;
use wavetank_capture::{Names, Only, Views};
use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[0]).expect("a scenario file");
    let sets: Vec<_> = args[2..].iter().filter_map(|a| a.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
    let s = read(&Source { path: &args[0], text: &text }, &sets).expect("a valid scenario");
    let mut world = World::tapped(&s, Views::default()).expect("it builds");
    let census = world.census();
    let about = About { program: "wavetank", comment: "", interface: "monitor", snaplen: 256, whole_amsdus: true };
    world.tap().begin(Names::new(census.clone()), 5180, None);
    world.tap().capture(Only::Monitor, args[1].clone().into(), &about).expect("the file can be written");
    let (_, mut views) = world.run_tapped();
    views.end().expect("the file was written");
}
