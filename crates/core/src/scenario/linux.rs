//! `[linux]`: what the real kernel alone is given, modules of one's own and what they bring. The model knows none of it and refuses
//! it ([`Own::first`]); `wavetank.linux` carries it out.

use crate::sim::params::{Param, Raw, Refused, Schema};

/// A key: its name, what a text of it is made of, what separates two of those, how it is written, what it is, where that is from.
struct Row {
    key: &'static str,
    expected: &'static str,
    between: &'static str,
    range: &'static str,
    doc: &'static str,
    source: &'static str,
}

const ROWS: [Row; 4] = [
    Row {
        key: "modules",
        expected: "folders of modules, with parameters behind each, such as \"mine beta=90\" or [\"mine\", \"other\"], or \"off\"",
        between: ", ", // a parameter may be an array, a=1,2
        range: "FOLDER [PARAMETER=VALUE ...], ...",
        doc: "Kernel modules of one's own, which linux builds and loads before anything else, each with its parameters. The folder has a \
              Kbuild or a Makefile with obj-m; a path is relative to the scenario's file, with --set and --module to the current folder. \
              The model cannot run them.",
        source: "linux Documentation/kbuild/modules.rst",
    },
    Row {
        key: "cc",
        expected: "a congestion control of the kernel's, or which of the scenario's it stands for, such as \"mine\" or \"cubic=mine\", or \
                   \"off\"",
        between: ",",
        range: "NAME, or cubic=NAME, ...",
        doc: "Congestion control of TCP flows on linux, in place of the scenario's: a name that the kernel has, of every flow; or \
              cubic=NAME, of the flows that the scenario has cubic for. The model cannot run it; compare has the scenario's own there.",
        source: "linux@6.12 net/ipv4/tcp_cong.c tcp_register_congestion_control",
    },
    Row {
        key: "qdisc",
        expected: "a discipline as tc has it, or which of the scenario's it stands for, such as \"mine\" or \"pfifo=mine limit 100\", or \
                   \"off\"",
        between: ",",
        range: "NAME [WORDS], or pfifo=NAME [WORDS], ...",
        doc: "Queueing discipline on linux, in place of the scenario's: a name that the kernel has and what tc is told behind it, where \
              the scenario puts one; or pfifo=NAME, where it puts pfifo. The model cannot run it; compare has the scenario's own there.",
        source: "linux@6.12 net/sched/sch_api.c register_qdisc",
    },
    Row {
        key: "rate_control",
        expected: "a rate control of mac80211's, or which of the scenario's it stands for, such as \"mine\" or \"minstrel_ht=mine\", or \
                   \"off\"",
        between: ",",
        range: "NAME, or minstrel_ht=NAME, ...",
        doc: "Rate control of mac80211 on linux, in place of the scenario's: a name that the kernel has, of every card; or \
              minstrel_ht=NAME, of those that the scenario has minstrel_ht for. The model cannot run it; compare has the scenario's own \
              there.",
        source: "linux@6.12 net/mac80211/rate.c ieee80211_rate_control_register",
    },
];

/// What a scenario says for the real kernel alone, in the order of the keys.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Own([Option<String>; ROWS.len()]);

impl Own {
    /// The first that is said, with its value.
    pub fn first(&self) -> Option<(&'static str, &str)> {
        ROWS.iter().zip(&self.0).find_map(|(row, said)| Some((row.key, said.as_deref()?)))
    }
}

impl Row {
    fn read(&self, raw: &Raw) -> Result<Option<String>, Refused> {
        match raw {
            Raw::Text(t) if t.trim() == "off" => Ok(None),
            Raw::Text(t)
                if !t.contains(char::is_control) && t.split(self.between).all(|part| !part.trim().is_empty()) =>
            {
                Ok(Some(t.trim().to_string()))
            }
            _ => Err(Refused::expected(self.expected)),
        }
    }
}

impl Schema for Own {
    fn schema() -> Vec<Param> {
        let param = |r: &Row| Param {
            key: r.key,
            kind: "list",
            unit: "list of texts",
            default: "off".into(),
            range: r.range.into(),
            doc: r.doc.into(),
            source: r.source,
        };
        ROWS.iter().map(param).collect()
    }
    fn set(&mut self, key: &str, raw: &Raw) -> Option<Result<(), Refused>> {
        let i = ROWS.iter().position(|r| r.key == key)?;
        Some(ROWS[i].read(raw).map(|said| self.0[i] = said))
    }
    fn values(&self) -> Vec<(&'static str, String)> {
        ROWS.iter().zip(&self.0).map(|(r, said)| (r.key, said.clone().unwrap_or_else(|| "off".into()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::testing::{WIRED, parse};
    use crate::scenario::value;

    #[test]
    fn what_is_said_is_kept_as_it_was_said() {
        let s = parse(&format!("{WIRED}[linux]\nmodules = [\"a b=1,2\", \"c\"]\ncc = \"mine\"\n")).unwrap().linux;
        assert_eq!(s.first(), Some(("modules", "a b=1,2, c")));
        assert_eq!(value("--set", "linux.cc", " cubic=mine, reno=other").as_deref(), Ok("cubic=mine, reno=other"));
        assert_eq!(parse(&format!("{WIRED}[linux]\ncc = \"off\"\n")).unwrap().linux.first(), None);
    }

    #[test]
    fn what_is_empty_is_refused() {
        for (key, text) in [("linux.cc", ""), ("linux.cc", "a,"), ("linux.modules", "a, , b")] {
            let e = value("--set", key, text).unwrap_err();
            assert!(e.expected.contains("\"mine") && e.expected.ends_with("or \"off\""), "{e}");
        }
        let e = parse(&format!("{WIRED}[linux]\ncc = 7\n")).unwrap_err();
        assert_eq!((e.line, e.found.as_str()), (7, "7"));
        assert!(value("--set", "linux.modules", "a b=1,2").is_ok(), "a module's parameter may be an array");
    }
}
