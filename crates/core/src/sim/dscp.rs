//! The mark of a packet: its differentiated services code point.

use super::params::{Raw, Refused, Value};

/// A DSCP, 0 to 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Dscp(u8);

/// src: RFC 2474 (CS), RFC 2597 (AF), RFC 3246 (EF), RFC 5865 (VA), RFC 8622 (LE)
const NAMES: [(&str, u8); 23] = [
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VA", 44),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
];

impl Dscp {
    /// As a number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Value for Dscp {
    const UNIT: &'static str = "DSCP";
    fn read(raw: &Raw) -> Result<Self, Refused> {
        let names = NAMES.map(|n| n.0);
        match raw {
            Raw::Int(n @ 0..=63) => Ok(Dscp(*n as u8)),
            Raw::Text(t) => NAMES.iter().find(|n| n.0.eq_ignore_ascii_case(t)).map(|n| Dscp(n.1)).ok_or_else(|| {
                let r = Refused::one_of(&names, t);
                Refused { expected: format!("a DSCP: a number from 0 to 63, or {}", r.expected), ..r }
            }),
            _ => Err(Refused::expected(format!("a DSCP: a number from 0 to 63, or one of {}", names.join(", ")))),
        }
    }
    fn show(&self) -> String {
        NAMES.iter().find(|n| n.1 == self.0).map_or_else(|| self.0.to_string(), |n| n.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_by_name_and_by_number() {
        let read = |r: Raw| Dscp::read(&r).map(|d| (d.get(), d.show()));
        assert_eq!(read(Raw::Text("EF".into())), Ok((46, "EF".into())));
        assert_eq!(read(Raw::Int(34)), Ok((34, "AF41".into())));
        assert_eq!(read(Raw::Int(5)), Ok((5, "5".into())));
        assert_eq!(read(Raw::Text("ef".into())), Ok((46, "EF".into())));
        let e = read(Raw::Text("AF44".into())).unwrap_err();
        assert!(e.near.is_some_and(|n| n.starts_with("AF4")));
        assert!(read(Raw::Int(64)).unwrap_err().expected.contains("0 to 63"));
    }
}
