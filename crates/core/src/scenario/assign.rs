//! One key set to a value, of a file or of a command line; what is refused is told in the words of its key.

use super::at::At;
use super::error::ScenarioError;
use super::places::Places;
use super::sections::{Scenario, TOP, dotted, schema, section_keys};
use super::unknown::{alone, unknown};
use super::written;
use crate::sim::params::Raw;
use toml::Spanned;
use toml::de::DeValue;

/// Sets a key to what a file says.
pub(super) fn set_value(
    s: &mut Scenario,
    places: &mut Places,
    at: At<'_>,
    value: &Spanned<DeValue>,
) -> Result<(), ScenarioError> {
    let At { section, key, .. } = at;
    let wrong = |found: &str, expected: &str| at.error(found, expected);
    let raw = match value.get_ref() {
        DeValue::Table(t) if !is_key(section, key) => {
            let leaf = t.iter().next().map_or_else(String::new, |(k, _)| k.get_ref().to_string());
            return Err(alone(At { key: &format!("{key}.{leaf}"), ..at }).unwrap_or_else(|| unknown(at)));
        }
        DeValue::Array(_) | DeValue::Datetime(_) if !is_key(section, key) => {
            return Err(unknown(at));
        }
        DeValue::String(t) => Raw::Text(t.to_string()),
        // One beyond 128 bits is beyond the key's range, which then says what it is.
        DeValue::Integer(n) => i128::from_str_radix(n.as_str(), n.radix())
            .map(Raw::Int)
            .or_else(|e| n.as_str().parse().map(Raw::Float).map_err(|_| e))
            .map_err(|_| wrong(n.as_str(), "a whole number of at most 128 bits"))?,
        // `kernel = 5.10`: the number is 5.1.
        DeValue::Float(x) if (section, key) == ("", "kernel") => Raw::Text(x.as_str().into()),
        DeValue::Float(x) => {
            x.as_str().parse().map(Raw::Float).map_err(|_| wrong(x.as_str(), "a number that can be written"))?
        }
        DeValue::Boolean(b) => Raw::Bool(*b),
        DeValue::Array(a) if is_list(section, key) => {
            match a.iter().map(|v| listed(v.get_ref())).collect::<Option<Vec<_>>>() {
                Some(parts) if parts.is_empty() => {
                    return Err(wrong("an empty list", "a value for each, or \"off\""));
                }
                Some(parts) => Raw::Text(parts.join(", ")),
                _ => return Err(wrong("a list of other things", "a list of numbers, names or texts")),
            }
        }
        DeValue::Array(_) => return Err(ScenarioError { near: list_of(key), ..wrong("a list", SINGLE) }),
        DeValue::Datetime(_) => return Err(wrong("a date", "a number, a name, or a text with its unit")),
        DeValue::Table(_) => return Err(wrong("a table", "a single value")),
    };
    set(s, places, at, &raw)
}

fn is_key(section: &str, key: &str) -> bool {
    if section.is_empty() { TOP.contains(&key) } else { section_keys(section).contains(&key) }
}

/// What a key wants that takes no list.
const SINGLE: &str = "a single value: it is the same for all";

/// The key of this name that takes a list, of stations or flows.
fn list_of(key: &str) -> Option<String> {
    (schema().into_iter()).find(|(_, p)| p.key == key && p.kind == "list").map(|(s, _)| dotted(s, key))
}

/// Whether what a key refused are several values, each of which it takes. A number with a comma is none: what is near says so.
fn several(s: &Scenario, section: &str, key: &str, raw: &Raw, near: Option<&str>) -> bool {
    let Raw::Text(t) = raw else { return false };
    if is_list(section, key) {
        return false; // one of its values is none ("off" stands alone)
    }
    let takes = |v: &str| {
        let mut s = s.clone();
        let mut set = |raw: &Raw| matches!(s.set(section, key, raw), Some(Ok(())));
        set(&written::raw(v)) || set(&Raw::Text(v.into()))
    };
    t.contains(',') && near.is_none_or(|n| n.parse::<f64>().is_err()) && t.split(',').all(|v| takes(v.trim()))
}

/// Whether a key takes a list: a value for each station, flow or MCS.
pub(super) fn is_list(section: &str, key: &str) -> bool {
    schema().iter().any(|(s, p)| *s == section && p.key == key && p.kind == "list")
}

/// An element of a list as it stands in the list that is a text.
fn listed(v: &DeValue) -> Option<String> {
    match v {
        DeValue::String(t) => Some(t.to_string()),
        DeValue::Integer(n) => i128::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n.to_string()),
        DeValue::Float(x) => Some(x.as_str().to_string()),
        DeValue::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}

/// Sets a key to a value that was read.
pub(super) fn set(s: &mut Scenario, places: &mut Places, at: At<'_>, raw: &Raw) -> Result<(), ScenarioError> {
    let At { section, key, .. } = at;
    match s.set(section, key, raw) {
        None => Err(unknown(at)),
        Some(Ok(())) => {
            places.insert(dotted(section, key), (at.file.into(), at.line));
            Ok(())
        }
        Some(Err(r)) if several(s, section, key, raw, r.near.as_deref()) => {
            Err(ScenarioError { near: list_of(key), ..at.error("a list", SINGLE) })
        }
        Some(Err(r)) => {
            let found = match raw {
                Raw::Int(n) => n.to_string(),
                Raw::Float(x) => format!("{x:?}"),
                Raw::Bool(b) => b.to_string(),
                Raw::Text(t) => format!("\"{}\"", on_one_line(t)),
            };
            Err(ScenarioError { near: r.near, ..at.error(found, r.expected) })
        }
    }
}

/// A text as a message of one line has it.
fn on_one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use crate::scenario::testing::{WIRED, parse};
    use crate::scenario::{Source, read, value};

    #[test]
    fn a_unit_that_does_not_fit_is_told() {
        let e = parse(&WIRED.replace("100 Mbit/s", "100 ms")).unwrap_err();
        assert!(e.expected.contains("Mbit/s") && e.line == 5, "{e}");
    }

    #[test]
    fn a_list_may_be_a_list() {
        let wifi = |rest: &str| parse(&format!("name = \"x\"\n[topology]\nkind = \"wifi\"\n{rest}\n"));
        let of = |rest: &str| wifi(&format!("[stations]\n{rest}")).unwrap().stations;
        assert_eq!(of("mcs = [7, 0x0f, 15, 0]"), of("mcs = \"7, 15*2, 0\""));
        assert_eq!(of("rx = [\"4 us\", \"10 us*2\"]"), of("rx = \"4 us, 10 us*2\""));
        assert_eq!(
            of("stretch_acks = [true, false]\nerror_up = [0.5, 1]"),
            of("stretch_acks = \"true, false\"\nerror_up = \"0.5, 1\"")
        );
        let e = wifi("[wifi]\nmcs = [7, 15]").unwrap_err();
        assert!(e.line == 5 && e.expected.contains("the same for all"), "{e}");
        assert!(wifi("[stations]\nmcs = [[7]]").unwrap_err().expected.contains("names or texts"));
        let e = parse(&format!("{WIRED}[tcp]\ncc = [\"bbr\", \"cubic\"]\n")).unwrap_err();
        assert_eq!((e.found.as_str(), e.near.as_deref()), ("a list", Some("traffic.cc")));
        let given = |v: &str| value("--set", "traffic.cc", v).map_err(|e| e.expected);
        for list in ["[\"cubic\", \"bbr\"]", "[cubic,bbr]", "cubic, bbr"] {
            assert_eq!(given(list).as_deref(), Ok("cubic, bbr"));
        }
        assert!(given("[[cubic]]").is_err() && given("[cubic").is_err() && given("[]").is_err());
        assert_eq!(wifi("[stations]\nmcs = []").unwrap_err().found, "an empty list");
    }

    #[test]
    fn whole_numbers_stay_whole() {
        let most = u64::MAX.to_string();
        let set = |k: &str, v: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), v.into())]);
        assert_eq!(set("seed", &most).unwrap().seed, u64::MAX);
        assert_eq!(parse(&format!("seed = {most}\n{WIRED}")).unwrap().seed, u64::MAX);
        let beyond = "18446744073709551617";
        for e in [set("seed", beyond), parse(&format!("seed = {beyond}\n{WIRED}")), set("tcp.reordering", beyond)] {
            let e = e.unwrap_err();
            assert_eq!(e.found, beyond);
            assert!(e.expected.starts_with("a whole number"), "{e}");
        }
    }

    #[test]
    fn a_message_is_of_one_line() {
        let e = parse("name = \"a\\nb\"\n").unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.found.as_str()), (1, "name", "\"a\\nb\""));
    }

    #[test]
    fn buffers_are_what_the_kernel_counts_in() {
        let set = |k: &str, v: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), v.into())]);
        for key in [
            "rmem_max",
            "rmem_default",
            "wmem_max",
            "wmem_default",
            "rcvbuf",
            "rcvlowat",
            "limit_output_bytes",
            "tsq_bytes",
        ] {
            let key = format!("tcp.{key}");
            assert!(set(&key, "2147483647 B").is_ok(), "{key}");
            let e = set(&key, "4 GiB").unwrap_err();
            assert!(e.expected.contains("to 2147483647 B"), "{e}");
        }
        let e = set("tcp.rmem_max", "1 B").unwrap_err();
        assert_eq!(e.expected, "a size from 2304 B to 2147483647 B");
    }
}
