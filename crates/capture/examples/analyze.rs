//! Reads captures and says how fast: `cargo run --release -p wavetank-capture --example analyze FILE...`

use std::time::Instant;
use wavetank_capture::{Analysis, read};

fn main() {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let mut a = Analysis::new(None);
        let info = read::read(std::fs::File::open(&path).expect("a file"), |f| a.frame(f)).expect("a capture");
        let report = serde_json::to_string(&a.report(&|_| None)).expect("plain data");
        let s = start.elapsed().as_secs_f64();
        let mb = info.bytes as f64 / 1e6;
        println!(
            "{path}: {} packets, {mb:.1} MB in {s:.3} s, {:.0} MB/s; {} bytes said",
            info.packets,
            mb / s,
            report.len()
        );
    }
}
