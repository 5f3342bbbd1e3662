//! A value for each station, flow or MCS: `"7, 15*3, 0"`, or as a list `[7, 15, 15, 15, 0]`, is 7 for the first, 15 for the next three, 0 for
//! the fifth.

use crate::params;
use crate::sim::params::{Raw, Refused, Value};
use crate::sim::{Dscp, Rate, Span};

/// What a list can name: the stations that there can be.
const MOST: usize = 254;

/// Values by station, flow or MCS. What a list does to those beyond its end, its key says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Each<T> {
    of: [Option<T>; MOST],
    len: usize,
}

impl<T: Copy> Each<T> {
    /// For nobody.
    pub const NONE: Each<T> = Each { of: [None; MOST], len: 0 };
    /// Of station (flow, MCS) `i`, counted from 0.
    pub fn get(&self, i: usize) -> Option<T> {
        self.of.get(i).copied().flatten()
    }
    /// That of `i`, counted from 0, where a list begins anew at its end.
    pub fn in_turn(&self, i: usize) -> Option<T> {
        if self.is_empty() { None } else { self.get(i % self.len) }
    }
    /// Every value with its place, counted from 0.
    pub fn all(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        self.of[..self.len].iter().enumerate().filter_map(|(i, v)| v.map(|v| (i, v)))
    }
    /// How many values it has.
    pub const fn len(&self) -> usize {
        self.len
    }
    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: Value + Copy + PartialEq> Value for Each<T> {
    const UNIT: &'static str = "list";
    fn unit() -> &'static str {
        match T::UNIT {
            "count" => "list of counts",
            "number" => "list of numbers",
            "time" => "list of times",
            "rate" => "list of rates",
            "bytes" => "list of sizes",
            "switch" => "list of switches",
            "name" => "list of names",
            "DSCP" => "list of DSCPs",
            _ => Self::UNIT,
        }
    }
    fn read(raw: &Raw) -> Result<Self, Refused> {
        let mut all = Each::NONE;
        let texts = match raw {
            Raw::Text(t) if t == "off" => return Ok(all),
            Raw::Text(t) => t.clone(),
            Raw::Int(n) => n.to_string(),
            Raw::Float(x) => x.to_string(),
            Raw::Bool(b) => b.to_string(),
        };
        let words = |r: Refused| Refused {
            expected: format!(
                "{} for each, such as \"a, b*3\" (b three times) or [a, b, b, b], or \"off\"",
                r.expected
            ),
            ..r
        };
        for part in texts.split(',') {
            let (value, times) = match part.trim().rsplit_once('*') {
                Some((v, n)) => (v.trim(), repeats(n.trim())?),
                None => (part.trim(), 1),
            };
            let v = T::read(&one(value)).map_err(words)?;
            if all.len + times > MOST {
                return Err(Refused::expected(format!("at most {MOST} values")));
            }
            all.of[all.len..all.len + times].fill(Some(v));
            all.len += times;
        }
        Ok(all)
    }
    fn names() -> &'static [&'static str] {
        T::names()
    }
    fn show(&self) -> String {
        let mut parts: Vec<(String, usize)> = Vec::new();
        for v in self.of[..self.len].iter().flatten().map(Value::show) {
            match parts.last_mut() {
                Some((last, n)) if *last == v => *n += 1,
                _ => parts.push((v, 1)),
            }
        }
        if parts.is_empty() {
            return "off".into();
        }
        let parts: Vec<_> = parts.into_iter().map(|(v, n)| if n == 1 { v } else { format!("{v}*{n}") }).collect();
        parts.join(", ")
    }
}

/// How often a value stands in a list, behind its `*`.
fn repeats(n: &str) -> Result<usize, Refused> {
    let found = n.parse().ok().filter(|n| (1..=MOST).contains(n));
    found.ok_or_else(|| {
        Refused::expected(format!("a whole number from 1 to {MOST} behind \"*\", such as \"a, b*3\" (b three times)"))
    })
}

/// One value of a list, as it would stand alone in a file.
fn one(text: &str) -> Raw {
    match (text.parse::<i128>(), text.parse::<f64>(), text) {
        (Ok(n), ..) => Raw::Int(n),
        (_, Ok(x), _) => Raw::Float(x),
        (.., "true") => Raw::Bool(true),
        (.., "false") => Raw::Bool(false),
        _ => Raw::Text(text.into()),
    }
}

params! {
    /// Where stations differ: lists, the first station first. Stations beyond a list's end have what `[wifi]` and `[host]` say.
    pub struct Stations {
        /// Modulation and coding scheme, to and from this station, counted as `wifi.mcs` is. One that is of an older standard than the network
        /// (`stations.driver`) has that one's: 802.11n's are 0 to 31, 802.11ac's 0 to 9.
        mcs: Each<u8> = Each::NONE, src "this project; default: wifi.mcs";
        /// Spatial streams of 802.11ac or ax, to and from this station.
        streams: Each<u8> = Each::NONE, src "this project; default: wifi.streams";
        /// Width of what is sent to and from this station, MHz: the channel's at most.
        width_mhz: Each<u8> = Each::NONE, src "this project; default: wifi.width_mhz, of 802.11n 40 at most";
        /// The station's driver. In an 802.11ac network another than ath10k, mt76 or iwlwifi makes it a station of 802.11n, in one of 802.11ax ath10k one of
        /// 802.11ac and another than mt76 or iwlwifi one of 802.11n: its MCS `stations.mcs` has to say.
        driver: Each<crate::driver::Name> = Each::NONE, src "this project; default: sta.driver";
        /// Rate of 802.11a, b or g, to and from this station.
        rate: Each<Rate> = Each::NONE, src "this project; default: wifi.rate";
        /// MCS of what this station sends, where it differs from what is sent to it.
        mcs_up: Each<u8> = Each::NONE, src "this project; default: stations.mcs";
        /// Slow start threshold that the sender's cache of metrics has for this station, segments.
        ssthresh: Each<u32> = Each::NONE, src "this project; default: tcp.ssthresh";
        /// Whether the station's TCP stretches its ACKs.
        stretch_acks: Each<bool> = Each::NONE, src "this project; default: tcp.stretch_acks";
        /// Probability that an MPDU that the station sends is lost to noise.
        error_up: Each<f64> = Each::NONE, src "this project; default: wifi.error_rate";
        /// Probability that an MPDU to the station is lost to noise.
        error_down: Each<f64> = Each::NONE, src "this project; default: wifi.error_rate";
        /// MPDUs to the station that are lost in a row, in the mean: noise that lasts. 0: losses are independent.
        error_run: Each<f64> = Each::NONE, src "this project";
        /// Weight for airtime that the access point gives the station, where its driver has TXQs: of two that want more than there is, one with
        /// 512 has twice the air of one with 256 (less with ath10k, next to nothing with mt76, and nothing with iwlwifi, whose devices take turns by themselves with what AQL lets into them).
        weight: Each<u16> = Each::NONE, src "linux@6.12 net/wireless/nl80211.c NL80211_ATTR_AIRTIME_WEIGHT (iw: airtime_weight); default: mac80211.weight";
        /// Mean SNR of the station's channel at full power, dB: what its distance makes of it.
        snr: Each<f64> = Each::NONE, src "this project; default: floor.topology's, else channel.snr";
        /// What the station's CPU takes for a received packet.
        rx: Each<Span> = Each::NONE, src "this project; default: host.sta_rx";
        /// Congestion control of this station's TCP flows, both ways.
        cc: Each<crate::tcp::cc::Cc> = Each::NONE, src "this project; default: traffic.cc, else tcp.cc";
        /// TCP uploads of this station.
        tcp_up: Each<u16> = Each::NONE, src "this project; default: traffic.tcp_up";
        /// TCP downloads of this station.
        tcp_down: Each<u16> = Each::NONE, src "this project; default: traffic.tcp_down";
        /// Offered UDP load of this station, up; "off" for one that has none.
        udp_up: Each<Option<Rate>> = Each::NONE, src "this project; default: traffic.udp_up";
        /// Offered UDP load to this station, down; "off" for one that has none.
        udp_down: Each<Option<Rate>> = Each::NONE, src "this project; default: traffic.udp_down";
        /// Bytes of payload in a datagram of this station's UDP load, both ways.
        udp_payload: Each<u16> = Each::NONE, src "this project; default: traffic.udp_payload";
        /// Mark of this station's UDP load, both ways: a call ("EF") beside a film ("AF41") beside bulk.
        udp_dscp: Each<Dscp> = Each::NONE, src "this project; default: traffic.udp_dscp";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_shown() {
        let e = Each::<u8>::read(&Raw::Text("7, 15*3,0".into())).unwrap();
        assert_eq!([0, 1, 3, 4, 5].map(|i| e.get(i)), [Some(7), Some(15), Some(15), Some(0), None]);
        assert_eq!((e.show(), e.len()), ("7, 15*3, 0".into(), 5));
        assert_eq!(Each::<u8>::read(&Raw::Int(7)).unwrap().show(), "7");
        let s = Each::<Span>::read(&Raw::Text("4 us*2, 10 us".into())).unwrap();
        assert_eq!(s.get(1), Some(Span::from_us(4)));
        assert_eq!(Each::<f64>::read(&Raw::Text("off".into())).unwrap(), Each::NONE);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |t: &str| Each::<u8>::read(&Raw::Text(t.into())).unwrap_err().expected;
        assert!(said("7, x").contains("whole number"));
        assert!(said("7*300").contains("254") && said("7*200, 7*200").contains("at most 254"));
        for beyond in ["7*y", "7*", "7*0", "7*-1", "7, 7*18446744073709551615", "7*99999999999999999999"] {
            assert!(said(beyond).contains("from 1 to 254 behind"), "{beyond}");
        }
    }
}
