//! Keys set beside a file: `--set`, an axis of a sweep.

use super::assign::{is_list, set};
use super::at::At;
use super::error::ScenarioError;
use super::places::Places;
use super::sections::Scenario;
use super::written;
use crate::sim::params::Raw;

/// One key's value alone, as it would be used: whether it may be, before anything else that a scenario says.
///
/// `from` stands where messages name the file. Errors: there is no such key, or it cannot have the value.
pub fn value(from: &str, key: &str, value: &str) -> Result<String, ScenarioError> {
    let mut s = Scenario::default();
    set_override(&mut s, &mut Places::new(), from, key, value)?;
    let shown = s.resolved().into_iter().find(|(k, _)| k == key);
    Ok(shown.map_or_else(String::new, |(_, v)| v))
}

/// Sets a key to a value as it was written; `from` stands where messages name the file.
pub(super) fn set_override(
    s: &mut Scenario,
    places: &mut Places,
    from: &str,
    key: &str,
    value: &str,
) -> Result<(), ScenarioError> {
    let (section, leaf) = key.split_once('.').unwrap_or(("", key));
    let at = At { file: from, line: 0, section, key: leaf };
    if let Some(list) = written::list(value).filter(|_| is_list(section, leaf)) {
        return set(s, places, at, &list);
    }
    // A key that takes names may have some that look like numbers (kernel=5.10).
    let raw = written::raw(value);
    set(s, places, at, &raw).or_else(|e| {
        let written = value.trim();
        set(s, places, at, &Raw::Text(written.into())).map_err(|_| match raw {
            Raw::Float(_) => ScenarioError { found: written.into(), ..e },
            _ => e,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::testing::{WIRED, parse};
    use crate::scenario::{Source, read};
    use crate::sim::Span;

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
        let own = set("stations.rate", "off,54 Mbit/s");
        assert!(own.contains("\"off\"") && !own.contains("a list") && !own.contains("did you mean"), "{own}");
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
}
