//! Whatever the file, reading a scenario gives a scenario or one clear error, never a panic.

use proptest::prelude::*;
use wavetank_core::scenario::{Source, read, schema};
use wavetank_core::workloads;

/// A line of the grammar that a careless hand could write.
fn line() -> impl Strategy<Value = String> {
    let keys: Vec<String> = schema().into_iter().map(|(_, p)| p.key.to_string()).collect();
    let sections: Vec<String> = schema().into_iter().map(|(s, _)| s.to_string()).filter(|s| !s.is_empty()).collect();
    let value = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|x| format!("{x:?}")),
        any::<bool>().prop_map(|b| b.to_string()),
        "[0-9.]{1,6} ?(ns|us|ms|s|Mbit/s|KiB|B|x)?".prop_map(|t| format!("\"{t}\"")),
        "\"[a-z_0-9]{0,12}\"",
        "\\[[0-9, ]{0,8}\\]",
        "\\PC{0,12}",
    ];
    prop_oneof![
        3 => (prop::sample::select(keys), value).prop_map(|(k, v)| format!("{k} = {v}")),
        1 => prop::sample::select(sections).prop_map(|s| format!("[{s}]")),
        1 => "\\PC{0,30}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn careless_files(lines in prop::collection::vec(line(), 0..20)) {
        let text = lines.join("\n");
        if let Err(e) = read(&Source { path: "x.toml", text: &text }, &[]) {
            prop_assert!(!e.expected.is_empty() && e.to_string().starts_with("x.toml"), "{e}");
        }
    }

    #[test]
    fn damaged_workloads(w in 0usize..3, at in any::<prop::sample::Index>(), put in "\\PC{0,4}", cut in 0usize..12) {
        let text = workloads::ALL[w].text;
        let (from, upto) = (at.index(text.len()), (at.index(text.len()) + cut).min(text.len()));
        let damaged = format!("{}{put}{}", &text[..from], &text[upto..]);
        if let Err(e) = read(&Source { path: "x.toml", text: &damaged }, &[]) {
            prop_assert!(e.line <= damaged.lines().count() + 1, "{e}");
        }
    }

    #[test]
    fn careless_overrides(key in "[a-z_.]{0,20}", value in "\\PC{0,12}") {
        let src = Source { path: "x.toml", text: workloads::ALL[0].text };
        let _ = read(&src, &[(key, value)]);
    }
}
