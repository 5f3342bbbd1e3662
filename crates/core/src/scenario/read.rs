//! Reads a scenario file and `--set` overrides into a [`Scenario`].

use super::check;
use super::error::ScenarioError;
use super::places::Places;
use super::required;
use super::sections::{Scenario, Section, TOP, is_section, section_keys};
use crate::sim::params::{Raw, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What others call our keys: Flent's options, ns-3's attributes, `iw`, `tc` and `ss`.
const SYNONYMS: [(&str, &str); 16] = [
    ("duration", "time.flows"),
    ("length", "time.flows"),
    ("simulationTime", "time.flows"),
    ("cc", "tcp.cc"),
    ("congestion_control", "tcp.cc"),
    ("tcp_cong_control", "tcp.cc"),
    ("TcpVariant", "tcp.cc"),
    ("nss", "wifi.streams"),
    ("bandwidth", "wifi.width_mhz"),
    ("channel_width", "wifi.width_mhz"),
    ("loss", "wifi.error_rate"),
    ("distance", "stations.snr"),
    ("rtt", "backhaul.delay"),
    ("step_size", "traffic.ping"),
    ("upload_streams", "traffic.tcp_up"),
    ("download_streams", "traffic.tcp_down"),
];

/// Where a text comes from, for messages.
pub struct Source<'a> {
    /// The path, as the user gave it.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Reads a scenario, applies `key=value` overrides in their order, and checks the whole.
///
/// Errors: the first thing wrong, as a [`ScenarioError`].
pub fn read(src: &Source, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
    let mut s = Scenario::default();
    let mut places = Places::new();
    for (key, value) in parse(src)?.get_ref() {
        let name = key.get_ref().as_ref();
        let line = line_of(src.text, key.span().start);
        match value.get_ref() {
            DeValue::Table(t) if is_section(name) => {
                for (k, v) in t {
                    let line = line_of(src.text, k.span().start);
                    set_value(&mut s, &mut places, src.path, line, name, k.get_ref(), v)?;
                }
            }
            DeValue::Table(_) if name.contains('.') || !TOP.contains(&name) => {
                return Err(unknown(src.path, line, "", name));
            }
            other if is_section(name) => {
                let found = match other {
                    DeValue::Array(a) if a.iter().any(|v| matches!(v.get_ref(), DeValue::Table(_))) => {
                        format!("[[{name}]] is a list of sections")
                    }
                    DeValue::Array(_) => "a list".into(),
                    _ => "a single value".into(),
                };
                return Err(ScenarioError {
                    file: src.path.into(),
                    line,
                    key: name.into(),
                    found,
                    expected: format!("a section: [{name}] with keys {}", section_keys(name).join(", ")),
                    near: None,
                });
            }
            _ => set_value(&mut s, &mut places, src.path, line, "", name, value)?,
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

fn parse<'a>(src: &Source<'a>) -> Result<Spanned<DeTable<'a>>, ScenarioError> {
    DeTable::parse(src.text).map_err(|e| {
        let line = e.span().map_or(0, |sp| line_of(src.text, sp.start));
        let of =
            src.text.lines().nth(line.wrapping_sub(1)).filter(|_| e.message() != "duplicate key").and_then(as_toml);
        ScenarioError {
            file: src.path.into(),
            line,
            key: String::new(),
            found: format!("not TOML: {}", e.message()),
            expected: match of {
                Some(v) => format!("{v}, as TOML has it"),
                None if e.message() == "duplicate key" => "each key, and each section, once".into(),
                None => "a scenario file (TOML 1.0)".into(),
            },
            near: None,
        }
    })
}

/// The single value of a line as TOML has it, where it is none of TOML's: `.05`, `True`, a text without its quotes.
fn as_toml(line: &str) -> Option<String> {
    let (_, value) = line.split_once('=')?;
    let t = value.split('#').next()?.trim();
    let (sign, digits) = t.strip_prefix(['+', '-']).map_or(("", t), |rest| (&t[..1], rest));
    let number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && t.parse::<f64>().is_ok();
    if t.eq_ignore_ascii_case("true") || t.eq_ignore_ascii_case("false") {
        Some(t.to_lowercase())
    } else if number && digits.starts_with('.') {
        Some(format!("{sign}0{digits}"))
    } else if number && t.ends_with('.') {
        Some(format!("{t}0"))
    } else {
        let plain = |c: char| c.is_ascii_alphanumeric() || " ./-_%".contains(c);
        (!number && t.starts_with(|c: char| c.is_ascii_alphanumeric()) && t.chars().all(plain))
            .then(|| format!("\"{t}\""))
    }
}

/// The keys that a text names, with their sections.
///
/// Errors: it is no TOML.
pub fn given(src: &Source) -> Result<Vec<String>, ScenarioError> {
    let mut out = Vec::new();
    for (key, value) in parse(src)?.get_ref() {
        match value.get_ref() {
            DeValue::Table(t) => out.extend(t.keys().map(|k| dotted(key.get_ref(), k.get_ref()))),
            _ => out.push(key.get_ref().to_string()),
        }
    }
    Ok(out)
}

/// One key's value alone, as it would be used: whether it may be, before anything else that a scenario says.
///
/// `from` stands where messages name the file. Errors: there is no such key, or it cannot have the value.
pub fn value(from: &str, key: &str, value: &str) -> Result<String, ScenarioError> {
    let mut s = Scenario::default();
    set_override(&mut s, &mut Places::new(), from, key, value)?;
    let shown = s.resolved().into_iter().find(|(k, _)| k == key);
    Ok(shown.map_or_else(String::new, |(_, v)| v))
}

fn set_override(
    s: &mut Scenario,
    places: &mut Places,
    from: &str,
    key: &str,
    value: &str,
) -> Result<(), ScenarioError> {
    let (section, leaf) = key.split_once('.').unwrap_or(("", key));
    if let Some(list) = list_of_override(value).filter(|_| is_list(section, leaf)) {
        return set(s, places, from, 0, section, leaf, &list);
    }
    // A key that takes names may have some that look like numbers (kernel=5.10).
    let raw = raw_of_override(value);
    set(s, places, from, 0, section, leaf, &raw).or_else(|e| {
        let written = value.trim();
        set(s, places, from, 0, section, leaf, &Raw::Text(written.into())).map_err(|_| match raw {
            Raw::Float(_) => ScenarioError { found: written.into(), ..e },
            _ => e,
        })
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

/// `--set` values are TOML where they can be, or numbers as people write them (`netem.loss=.05`), text otherwise: `tcp.cc=reno`,
/// `time.flows=10 s`, `wifi.rts=true`.
fn raw_of_override(v: &str) -> Raw {
    let t = v.trim();
    if let Ok(n) = t.parse::<i128>() {
        return Raw::Int(n);
    }
    if let Some(x) = t.parse::<f64>().ok().filter(|x| x.is_finite()) {
        return Raw::Float(x);
    }
    match t {
        "true" => Raw::Bool(true),
        "false" => Raw::Bool(false),
        _ => Raw::Text(unquoted(t).into()),
    }
}

/// Without TOML's quotes, of either kind, which a shell may have left.
fn unquoted(t: &str) -> &str {
    let inner = |q: char| t.strip_prefix(q)?.strip_suffix(q);
    inner('"').or_else(|| inner('\'')).unwrap_or(t)
}

/// A list as TOML has it, or as a shell leaves it when it has taken the quotes: `["cubic", "bbr"]`, `[cubic, bbr]`.
fn list_of_override(v: &str) -> Option<Raw> {
    let inside = v.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = inside.split(',').map(|p| p.trim().trim_matches(['"', '\''])).collect();
    Some(Raw::Text(parts.join(", ")))
}

fn set_value(
    s: &mut Scenario,
    places: &mut Places,
    file: &str,
    line: usize,
    section: &str,
    key: &str,
    value: &Spanned<DeValue>,
) -> Result<(), ScenarioError> {
    let wrong = |found: &str, expected: &str| ScenarioError {
        file: file.into(),
        line,
        key: dotted(section, key),
        found: found.into(),
        expected: expected.into(),
        near: None,
    };
    let raw = match value.get_ref() {
        DeValue::Table(t) if !is_key(section, key) => {
            let leaf = t.iter().next().map_or_else(String::new, |(k, _)| k.get_ref().to_string());
            return Err(alone(file, line, section, &format!("{key}.{leaf}"))
                .unwrap_or_else(|| unknown(file, line, section, key)));
        }
        DeValue::Array(_) | DeValue::Datetime(_) if !is_key(section, key) => {
            return Err(unknown(file, line, section, key));
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
    set(s, places, file, line, section, key, &raw)
}

fn is_key(section: &str, key: &str) -> bool {
    if section.is_empty() { TOP.contains(&key) } else { section_keys(section).contains(&key) }
}

/// What a key wants that takes no list.
const SINGLE: &str = "a single value: it is the same for all";

/// The key of this name that takes a list, of stations or flows.
fn list_of(key: &str) -> Option<String> {
    (super::schema().into_iter()).find(|(_, p)| p.key == key && p.kind == "list").map(|(s, _)| dotted(s, key))
}

/// Whether what a key refused are several values, each of which it takes. A number with a comma is none: what is near says so.
fn several(s: &Scenario, section: &str, key: &str, raw: &Raw, near: Option<&str>) -> bool {
    let Raw::Text(t) = raw else { return false };
    let takes = |v: &str| {
        let mut s = s.clone();
        let mut set = |raw: &Raw| matches!(s.set(section, key, raw), Some(Ok(())));
        set(&raw_of_override(v)) || set(&Raw::Text(v.into()))
    };
    t.contains(',') && near.is_none_or(|n| n.parse::<f64>().is_err()) && t.split(',').all(|v| takes(v.trim()))
}

/// Whether a key takes a list: a value for each station, flow or MCS.
fn is_list(section: &str, key: &str) -> bool {
    super::schema().iter().any(|(s, p)| *s == section && p.key == key && p.kind == "list")
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

fn set(
    s: &mut Scenario,
    places: &mut Places,
    file: &str,
    line: usize,
    section: &str,
    key: &str,
    raw: &Raw,
) -> Result<(), ScenarioError> {
    match s.set(section, key, raw) {
        None => Err(unknown(file, line, section, key)),
        Some(Ok(())) => {
            places.insert(dotted(section, key), (file.into(), line));
            Ok(())
        }
        Some(Err(r)) if several(s, section, key, raw, r.near.as_deref()) => Err(ScenarioError {
            file: file.into(),
            line,
            key: dotted(section, key),
            found: "a list".into(),
            expected: SINGLE.into(),
            near: list_of(key),
        }),
        Some(Err(r)) => Err(ScenarioError {
            file: file.into(),
            line,
            key: dotted(section, key),
            found: match raw {
                Raw::Int(n) => n.to_string(),
                Raw::Float(x) => format!("{x:?}"),
                Raw::Bool(b) => b.to_string(),
                Raw::Text(t) => format!("\"{}\"", on_one_line(t)),
            },
            expected: r.expected,
            near: r.near,
        }),
    }
}

/// A text as a message of one line has it.
fn on_one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

pub(super) fn dotted(section: &str, key: &str) -> String {
    if section.is_empty() { key.into() } else { format!("{section}.{key}") }
}

/// `[tcp.cubic]`, `tcp.cubic.beta`: a section within another, which stands alone.
fn alone(file: &str, line: usize, section: &str, key: &str) -> Option<ScenarioError> {
    let (inner, leaf) = key.split_once('.').unwrap_or((key, ""));
    if section.is_empty() || !is_section(inner) {
        return None;
    }
    let keys = section_keys(inner);
    Some(ScenarioError {
        file: file.into(),
        line,
        key: dotted(section, key.trim_end_matches('.')),
        found: format!("[{inner}] is a section of its own"),
        expected: format!("one of its keys, {}", keys.iter().map(|k| dotted(inner, k)).collect::<Vec<_>>().join(", ")),
        near: nearest(leaf, keys.iter().copied()).map(|k| dotted(inner, &k)),
    })
}

fn unknown(file: &str, line: usize, section: &str, key: &str) -> ScenarioError {
    if let Some(e) = alone(file, line, section, key) {
        return e;
    }
    let all: Vec<String> = super::schema().iter().map(|(s, p)| dotted(s, p.key)).collect();
    let dotted_key = dotted(section, key);
    if !section.is_empty() && TOP.contains(&key) {
        // In a file whatever stands behind a section's head is that section's.
        return ScenarioError {
            file: file.into(),
            line,
            key: dotted_key,
            found: format!("[{section}] has no key \"{key}\", which is of no section"),
            expected: if line > 0 { format!("{key} above the first section") } else { key.into() },
            near: None,
        };
    }
    if !section.is_empty() && is_section(section) {
        let keys = section_keys(section);
        let near = meant(key, &all).or_else(|| nearest(key, keys.iter().copied()).map(|k| dotted(section, &k)));
        return ScenarioError {
            file: file.into(),
            line,
            key: dotted_key.clone(),
            found: format!("[{section}] has no key \"{key}\""),
            expected: format!("one of {}", keys.join(", ")),
            near: near.or_else(|| slipped(key, &all)),
        };
    }
    if section.is_empty() && is_section(key) {
        let keys: Vec<String> = section_keys(key).iter().map(|k| dotted(key, k)).collect();
        return ScenarioError {
            file: file.into(),
            line,
            key: dotted_key,
            found: "is a section, which has no value of its own".into(),
            expected: format!("one of its keys, {}", keys.join(", ")),
            near: None,
        };
    }
    let mut names = Section::names();
    names.extend(TOP);
    let what = if section.is_empty() { key } else { section };
    ScenarioError {
        file: file.into(),
        line,
        key: dotted_key.clone(),
        found: format!("there is no key or section \"{what}\""),
        expected: format!("a key ({}) or a section ({})", TOP.join(", "), Section::names().join(", ")),
        near: meant(key, &all)
            .or_else(|| nearest(what, names.into_iter()))
            .or_else(|| nearest(&dotted_key, all.iter().map(String::as_str))),
    }
}

/// The key that is meant by a name that is right elsewhere: in another section, or in another tool.
fn meant(key: &str, all: &[String]) -> Option<String> {
    let elsewhere = || {
        let elsewhere = |k: &&String| k.rsplit_once('.').is_some_and(|(s, leaf)| s != "stations" && leaf == key);
        let mut same = all.iter().filter(elsewhere);
        same.next().filter(|_| same.next().is_none()).cloned()
    };
    elsewhere().or_else(|| SYNONYMS.iter().find(|s| s.0 == key).map(|s| s.1.into()))
}

/// Letters by which a key may differ from another section's that is held for it.
const SLIPS: usize = 2;

/// The only key of another section that is near. Names are held against each other without their sections: `bottleneck.` is long
/// enough for "rate" to be near to any other word behind it. Nearer than within a section: a name that no key has (`ce_threshold`)
/// is not meant for another section's that ends like it.
fn slipped(key: &str, all: &[String]) -> Option<String> {
    let leaf = |k: &'_ String| k.rsplit_once('.').filter(|(s, _)| *s != "stations").map(|(_, leaf)| leaf.to_owned());
    let leaves: Vec<String> = all.iter().filter_map(leaf).collect();
    let near = nearest(key, leaves.iter().map(String::as_str)).filter(|n| strsim::osa_distance(key, n) <= SLIPS)?;
    let mut same = all.iter().filter(|k| leaf(k).as_ref() == Some(&near));
    same.next().filter(|_| same.next().is_none()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Span;

    const WIRED: &str = "name = \"x\"\n[topology]\nkind = \"wired\"\n[htb]\nrate = \"100 Mbit/s\"\n";

    fn parse(text: &str) -> Result<Scenario, ScenarioError> {
        read(&Source { path: "a.toml", text }, &[])
    }

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
    fn a_name_that_is_right_elsewhere_names_its_place() {
        let near = |line: &str| parse(&format!("{line}\n{WIRED}")).unwrap_err().near;
        assert_eq!(
            near("mcs = 7").as_deref(),
            Some("wifi.mcs"),
            "what stations have of their own is not what is meant"
        );
        assert_eq!(near("width_mhz = 7").as_deref(), Some("wifi.width_mhz"));
        assert_eq!(near("duration = \"10 s\"").as_deref(), Some("time.flows"));
        let e = parse(&format!("{WIRED}cc = \"bbr\"\n")).unwrap_err();
        assert_eq!(e.near.as_deref(), Some("tcp.cc"));
        let all: Vec<String> = crate::scenario::schema().iter().map(|(s, p)| dotted(s, p.key)).collect();
        assert!(SYNONYMS.iter().all(|s| all.iter().any(|k| k == s.1)));
    }

    #[test]
    fn a_section_alone_names_its_keys() {
        let e = read(&Source { path: "a.toml", text: WIRED }, &[("netem".into(), "3".into())]).unwrap_err();
        assert_eq!((e.key.as_str(), e.near), ("netem", None));
        assert!(e.expected.starts_with("one of its keys, netem.delay"), "{}", e.expected);
    }

    #[test]
    fn what_is_not_near_is_not_named() {
        let set = |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "1".into())]).unwrap_err().near;
        for no in [
            "bottleneck.rate",
            "bottleneck.delay",
            "netem.burst",
            "traffic.flows",
            "wifi.ssid",
            "fq_codel.ce_threshold",
        ] {
            assert_eq!(set(no), None, "{no}");
        }
        assert_eq!(set("wifi.msc").as_deref(), Some("wifi.mcs"));
        assert_eq!(set("bottleneck.plase").as_deref(), Some("bottleneck.place"));
        assert_eq!(set("wifi.tsq_mss").as_deref(), Some("tcp.tsq_ms"));
        assert_eq!(set("bottleneck.bandwith").as_deref(), Some("cake.bandwidth"));
    }

    #[test]
    fn a_section_stands_within_no_other() {
        let set = |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "700".into())]).unwrap_err();
        let e = parse(&format!("{WIRED}[tcp.cubic]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.near.as_deref()), (6, "tcp.cubic.beta", Some("cubic.beta")));
        let e = set("tcp.cubic.bta");
        assert_eq!((e.key.as_str(), e.near.as_deref()), ("tcp.cubic.bta", Some("cubic.beta")));
        let e = set("tcp.cubic");
        assert!(e.key == "tcp.cubic" && e.near.is_none() && e.expected.contains("cubic.beta"), "{e}");
        let e = parse(&format!("{WIRED}[tcp.cubics]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.line, e.found.as_str()), (6, "[tcp] has no key \"cubics\""));
        let e = parse(&format!("{WIRED}[tcp.cc]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.found.as_str(), e.expected.as_str()), ("a table", "a single value"));
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
    fn a_unit_that_does_not_fit_is_told() {
        let e = parse(&WIRED.replace("100 Mbit/s", "100 ms")).unwrap_err();
        assert!(e.expected.contains("Mbit/s") && e.line == 5, "{e}");
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

    #[test]
    fn overrides_win_and_are_named() {
        let src = Source { path: "a.toml", text: WIRED };
        let s = read(&src, &[("time.flows".into(), "3 s".into())]).unwrap();
        assert_eq!(s.time.flows, Span::from_s(3));
        let e = read(&src, &[("time.flows".into(), "3".into())]).unwrap_err();
        assert_eq!(e.file, "--set");
    }

    #[test]
    fn a_value_alone_is_shown_as_it_would_be_used_or_refused() {
        assert_eq!(value("axis", "mac80211.aql_low", "1500us").unwrap(), "1500 us");
        assert_eq!(value("axis", "kernel", "5.10").unwrap(), "5.10");
        assert_eq!(value("axis", "wifi.width_mhz", "160").unwrap(), "160", "what it goes with is not asked");
        let e = value("axis", "tcp.tsq_mss", "4").unwrap_err();
        assert_eq!((e.file.as_str(), e.near.as_deref()), ("axis", Some("tcp.tsq_ms")));
        assert!(value("axis", "tcp.cc", "cubik").unwrap_err().to_string().contains("cubic"));
        for quoted in ["bbr", "\"bbr\"", "'bbr'"] {
            assert_eq!(value("axis", "tcp.cc", quoted).unwrap(), "bbr");
        }
        let e = value("axis", "tcp.cc", "\"bbr").unwrap_err();
        assert!(e.to_string().contains(r#"expected one of reno"#), "a quote that is not closed is told: {e}");
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let set = |v: &str| value("--set", "netem.loss", v).map_err(|e| e.to_string());
        for v in [".05", "+.05", "5e-2", "0.05"] {
            assert_eq!(set(v).as_deref(), Ok("0.05"), "{v}");
        }
        for (v, said) in [
            ("5%", "\"5%\" (did you mean \"0.05\"?); expected a number from 0 to 1"),
            ("inf", "\"inf\"; expected a number from 0 to 1"),
            ("-inf", "\"-inf\"; expected a number from 0 to 1"),
            ("nan", "\"nan\"; expected a number from 0 to 1"),
        ] {
            assert_eq!(set(v), Err(format!("--set: netem.loss: {said}")));
        }
    }

    #[test]
    fn several_values_are_told_where_they_go() {
        let set = |k: &str, v: &str| value("--set", k, v).unwrap_err().to_string();
        let single = "; expected a single value: it is the same for all";
        assert_eq!(
            set("wifi.mcs", "7, 15"),
            format!("--set: wifi.mcs: a list (did you mean \"stations.mcs\"?){single}")
        );
        assert_eq!(set("traffic.tcp_dscp", "AF11,AF21"), format!("--set: traffic.tcp_dscp: a list{single}"));
        assert!(set("tcp.cc", "cubic,bbr").contains(".cc\"?)"), "{}", set("tcp.cc", "cubic,bbr"));
        assert!(set("tcp.cc", "cubic,bbbr").contains("expected one of"), "one of them is none");
        assert!(set("netem.loss", "0,05").contains("did you mean \"0.05\""), "a number with a comma");
    }

    #[test]
    fn names_that_look_like_numbers_can_be_set() {
        let set = |k: &str, v: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), v.into())]);
        assert_eq!(set("ath9k.rts_threshold", "off").unwrap().ath9k.rts_threshold, None, "off lies below every number");
        assert_eq!(set("kernel", "5.10").unwrap().kernel, crate::scenario::keys::Kernel::V5_10);
        let e = set("kernel", "5.20").unwrap_err().to_string();
        assert!(e.contains("kernel: 5.20; expected one of"), "{e}");
        let file = |k: &str| parse(&format!("kernel = {k}\n{WIRED}"));
        assert_eq!(file("5.10").unwrap().kernel, crate::scenario::keys::Kernel::V5_10);
        assert!(file("5.20").unwrap_err().to_string().contains("5.20"));
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

    #[test]
    fn a_value_that_is_none_of_tomls_is_shown_as_it_would_be() {
        for (given, shown) in [
            ("loss = .05", "0.05"),
            ("loss = -.05", "-0.05"),
            ("loss = 1.", "1.0"),
            ("delay = 10 ms # each way", "\"10 ms\""),
            ("loss = 5%", "\"5%\""),
            ("distribution = normal", "\"normal\""),
            ("ecn = True", "true"),
        ] {
            let e = parse(&format!("{WIRED}[netem]\n{given}\n")).unwrap_err();
            assert_eq!((e.line, e.expected), (7, format!("{shown}, as TOML has it")), "{given}");
        }
        for given in ["delay = \"10 ms", "loss = [", "loss = 05"] {
            let e = parse(&format!("{WIRED}[netem]\n{given}\n")).unwrap_err();
            assert_eq!(e.expected, "a scenario file (TOML 1.0)", "{given}");
        }
    }

    #[test]
    fn a_key_of_no_section_behind_one_is_told_where_it_stands() {
        let e = parse(&format!("{WIRED}seed = 2\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.expected.as_str()), (6, "htb.seed", "seed above the first section"));
        assert_eq!(value("--set", "htb.seed", "2").unwrap_err().expected, "seed");
    }

    #[test]
    fn what_is_there_twice_is_told_as_that() {
        for twice in ["rate = \"9 Mbit/s\"", "[htb]", "[topology]"] {
            let e = parse(&format!("{WIRED}{twice}\n")).unwrap_err();
            assert_eq!((e.line, e.expected.as_str()), (6, "each key, and each section, once"), "{twice}");
        }
    }

    #[test]
    fn broken_toml_has_a_line() {
        let e = parse("name = \"x\"\n[topology\n").unwrap_err();
        assert!(e.found.contains("not TOML") && e.line == 2, "{e}");
    }
}
