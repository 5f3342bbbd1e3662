//! Reads a scenario file and `--set` overrides into a [`Scenario`].

use super::assign::set_value;
use super::at::At;
use super::check;
use super::error::ScenarioError;
use super::overrides::set_override;
use super::places::Places;
use super::required;
use super::sections::{Scenario, TOP, is_section, section_keys};
use super::syntax::{Source, line_of, parse};
use super::unknown::unknown;
use toml::de::DeValue;

/// Reads a scenario, applies `key=value` overrides in their order, and checks the whole.
///
/// Errors: the first thing wrong, as a [`ScenarioError`].
pub fn read(src: &Source, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
    let mut s = Scenario::default();
    let mut places = Places::new();
    for (key, value) in parse(src)?.get_ref() {
        let name = key.get_ref().as_ref();
        let at = At { file: src.path, line: line_of(src.text, key.span().start), section: "", key: name };
        match value.get_ref() {
            DeValue::Table(t) if is_section(name) => {
                for (k, v) in t {
                    let line = line_of(src.text, k.span().start);
                    let at = At { file: src.path, line, section: name, key: k.get_ref() };
                    set_value(&mut s, &mut places, at, v)?;
                }
            }
            DeValue::Table(_) if name.contains('.') || !TOP.contains(&name) => {
                return Err(unknown(at));
            }
            other if is_section(name) => {
                let found = match other {
                    DeValue::Array(a) if a.iter().any(|v| matches!(v.get_ref(), DeValue::Table(_))) => {
                        format!("[[{name}]] is a list of sections")
                    }
                    DeValue::Array(_) => "a list".into(),
                    _ => "a single value".into(),
                };
                return Err(at.error(found, format!("a section: [{name}] with keys {}", section_keys(name).join(", "))));
            }
            _ => set_value(&mut s, &mut places, at, value)?,
        }
    }
    for (key, value) in overrides {
        set_override(&mut s, &mut places, "--set", key, value)?;
    }
    required::check(&places, src.path)?;
    s.traffic.settle(&s.stations);
    check::combinations(&s, &places, src.path)?;
    Ok(s)
}

#[cfg(test)]
mod tests {
    use crate::scenario::testing::{WIRED, parse};

    #[test]
    fn a_small_file_is_enough() {
        let s = parse(WIRED).unwrap();
        assert_eq!(s.htb.rate.bps(), 100_000_000);
    }

    #[test]
    fn a_typo_names_line_and_nearest() {
        let e = parse(&format!("{WIRED}rat = \"local\"\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str()), (6, "htb.rat"));
        assert_eq!(e.near.as_deref(), Some("htb.rate"));
        assert!(e.to_string().starts_with("a.toml:6: htb.rat"), "{e}");
    }

    #[test]
    fn a_section_is_there_once() {
        let found = |top: &str| parse(&format!("{top}name = \"x\"\n")).unwrap_err();
        let e = parse("name = \"x\"\n[[wifi]]\nmcs = 7\n").unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.found.as_str()), (2, "wifi", "[[wifi]] is a list of sections"));
        assert!(e.expected.starts_with("a section: [wifi] with keys"), "{e}");
        assert_eq!(found("wifi = 3\n").found, "a single value");
        assert_eq!(found("wifi = [3]\n").found, "a list");
        assert!(found("wfi = [3]\n").found.contains("no key or section \"wfi\""));
    }

    #[test]
    fn a_missing_key_is_told() {
        let text = "name = \"x\"\n[topology]\nkind = \"wired\"\n";
        assert_eq!(parse(text).unwrap_err().key, "htb.rate");
        let cake = format!("{text}[bottleneck]\nqdisc = \"cake\"\n");
        assert_eq!(parse(&cake).unwrap_err().key, "cake.bandwidth");
        let e = parse(&format!("{cake}[cake]\nbandwidth = \"off\"\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str()), (7, "cake.bandwidth"));
        assert!(e.expected.contains("bandwidth = \"100 Mbit/s\""), "{e}");
    }
}
