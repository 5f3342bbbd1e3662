//! Runs scripts and prints a line for each.
use wavetank_packetdrill::{Options, run};

fn main() {
    let trace = std::env::var("TRACE").is_ok();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("readable");
        match run(&text, &Options::default()) {
            Err(e) => println!("{path}: error: {e}"),
            Ok(r) => {
                print!("{path}: {} held {} checked {}", r.verdict.name(), r.held, r.checked);
                if let Some(f) = &r.failure {
                    print!(" line {}: {}\n    expected {}\n    actual   {}", f.line, f.what, f.expected, f.actual);
                }
                if let Some(s) = r.skipped.first() {
                    print!(" skipped {} first line {}: {}", r.skipped.len(), s.line, s.what);
                }
                println!();
                if trace {
                    r.trace.iter().for_each(|t| println!("    {t}"));
                    r.printed.iter().for_each(|t| println!("    print {t}"));
                }
            }
        }
    }
}
