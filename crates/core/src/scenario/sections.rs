//! The scenario as a whole: its own keys, and every section with the struct that owns it.

use super::required::REQUIRED;
use super::{keys, name};
use crate::qdisc::{Discipline, Old, Setup};
use crate::sim::params::{Param, Raw, Refused, Schema, Value};
use crate::tcp::Tunables;

/// The keys that stand above all sections.
pub(super) const TOP: [&str; 4] = ["name", "description", "kernel", "seed"];

/// A section's name and its owner's schema.
pub struct Section;

macro_rules! sections {
    ($( $(#[$m:meta])* $name:ident : $t:ty ),* $(,)?) => {
        /// What a run is asked to be. `Default` is the default of every parameter.
        #[derive(Clone, Debug)]
        pub struct Scenario {
            /// A short name, for results.
            pub name: String,
            /// A sentence, for people.
            pub description: String,
            /// The kernel profile of every host.
            pub kernel: keys::Kernel,
            /// The seed of every random stream.
            pub seed: u64,
            $( $(#[$m])* pub $name: $t, )*
            /// One section a congestion control, of its name.
            pub tunables: Tunables,
        }

        impl Default for Scenario {
            fn default() -> Self {
                Scenario {
                    name: String::new(),
                    description: String::new(),
                    kernel: keys::Kernel::V6_12,
                    seed: 1,
                    $( $name: <$t>::default(), )*
                    tunables: Tunables::default(),
                }
            }
        }

        impl Section {
            /// Every section's name.
            pub fn names() -> Vec<&'static str> {
                let mut all = vec![ $( stringify!($name) ),* ];
                all.extend(Tunables::schemas().iter().filter(|(_, keys)| !keys.is_empty()).map(|(name, _)| *name));
                all
            }
        }

        impl Scenario {
            pub(super) fn set_in(&mut self, section: &str, key: &str, raw: &Raw) -> Option<Result<(), Refused>> {
                match section {
                    $( stringify!($name) => self.$name.set(key, raw), )*
                    _ => self.tunables.set(section, key, raw),
                }
            }
            /// Every key with its value, dotted, in the order of the schema.
            pub fn resolved(&self) -> Vec<(String, String)> {
                let mut all = vec![
                    ("name".to_string(), self.name.clone()),
                    ("description".to_string(), self.description.clone()),
                    ("kernel".to_string(), self.kernel.show()),
                    ("seed".to_string(), self.seed.to_string()),
                ];
                $( with_section(&mut all, stringify!($name), self.$name.values()); )*
                all.extend(self.tunables.values().into_iter().map(|(name, k, v)| (format!("{name}.{k}"), v)));
                all
            }
        }

        /// Every parameter with its section; the empty section holds the top keys. What a file has to say has no default.
        pub fn schema() -> Vec<(&'static str, Param)> {
            let mut all = top_schema();
            $( under(&mut all, stringify!($name), <$t>::schema()); )*
            all.extend(Tunables::schemas().into_iter().flat_map(|(name, keys)| keys.into_iter().map(move |p| (name, p))));
            for (section, p) in &mut all {
                if REQUIRED.contains(&(*section, p.key)) {
                    p.default.clear();
                }
            }
            all
        }
    };
}

sections! {
    /// When things happen.
    time: keys::TimePlan,
    /// The network's shape.
    topology: keys::Shape,
    /// The wired bottleneck.
    bottleneck: keys::Bottleneck,
    /// The network behind the AP.
    backhaul: keys::Backhaul,
    /// Who sends what.
    traffic: keys::Traffic,
    /// What hosts' CPUs cost.
    host: crate::host::Params,
    /// Wired network cards' receive side.
    nic: crate::host::nic::Params,
    /// TCP.
    tcp: crate::tcp::Params,
    /// The token bucket of the wired bottleneck.
    htb: crate::qdisc::htb::Params,
    /// The delay of the wired path.
    netem: crate::qdisc::netem::Params,
    /// FIFO in packets.
    pfifo: <crate::qdisc::fifo::Pfifo as Discipline>::Params,
    /// FIFO in bytes.
    bfifo: <crate::qdisc::fifo::Bfifo as Discipline>::Params,
    /// Three bands by priority.
    pfifo_fast: <crate::qdisc::pfifo_fast::PfifoFast as Discipline>::Params,
    /// Fair queueing with CoDel in every flow.
    fq_codel: <crate::qdisc::fq_codel::FqCodel as Discipline>::Params,
    /// Fair queueing that holds packets until they are due.
    fq: <crate::qdisc::fq::Fq as Discipline>::Params,
    /// CAKE.
    cake: <crate::qdisc::cake::Cake as Discipline>::Params,
    /// Aggregation Aware Queueing.
    aaq: <crate::qdisc::aaq::Aaq as Discipline>::Params,
    /// The air.
    wifi: keys::Air,
    /// Where stations differ.
    stations: super::each::Stations,
    /// EDCA parameters that the access point broadcasts.
    edca: super::edca::Edca,
    /// EDCA parameters that the access point uses itself.
    edca_ap: super::edca::Edca,
    /// The medium.
    medium: crate::wifi::medium::Params,
    /// The access point's beacons.
    beacon: crate::wifi::beacon::Params,
    /// Receivers' reorder buffers.
    reorder: crate::wifi::reorder::Params,
    /// Fixed rates' chains.
    fixed: crate::rate::fixed::Params,
    /// Minstrel-HT.
    minstrel_ht: crate::rate::minstrel_ht::Params,
    /// AASRC.
    aasrc: crate::rate::aasrc::Params,
    /// AARC.
    aarc: crate::rate::aarc::Params,
    /// The channel of each station.
    channel: crate::phy::channel::Params,
    /// The floor that stations stand on.
    floor: crate::phy::channel::floor::Params,
    /// The AP's radio.
    ap: keys::Radio,
    /// The stations' radios.
    sta: keys::Radio,
    /// mac80211's transmit queues.
    mac80211: crate::mac80211::Params,
    /// TCP ACKs held back by stations.
    tao: crate::mac80211::tao::Params,
    /// TCP ACKs on link-layer ACKs.
    hack: crate::wifi::hack::Params,
    /// The ath9k driver and its chips.
    ath9k: crate::driver::ath9k::Params,
    /// The ath9k_htc driver and its chip.
    ath9k_htc: crate::driver::ath9k_htc::Params,
    /// The ath10k driver, its cards and their firmware.
    ath10k: crate::driver::ath10k::Params,
    /// The mt76 driver, its cards and their firmware.
    mt76: crate::driver::mt76::Params,
    /// The iwlwifi driver, its cards and their firmware.
    iwlwifi: crate::driver::iwlwifi::Params,
    /// The Linksys access point.
    linksys: crate::driver::linksys::Params,
    /// The SoRa software radio.
    sora: crate::driver::sora::Params,
    /// Ethernet devices.
    ethernet: crate::driver::ethernet::Params,
    /// Byte queue limits.
    bql: crate::driver::bql::Params,
    /// What the real kernel alone is given.
    linux: super::linux::Own,
}

fn with_section(all: &mut Vec<(String, String)>, section: &str, values: Vec<(&'static str, String)>) {
    all.extend(values.into_iter().map(|(k, v)| (format!("{section}.{k}"), v)));
}

fn under(all: &mut Vec<(&'static str, Param)>, section: &'static str, keys: Vec<Param>) {
    all.extend(keys.into_iter().map(|p| (section, p)));
}

fn top_schema() -> Vec<(&'static str, Param)> {
    let d = Scenario::default();
    let row = |key, unit, default: String, range: String, doc: &str| {
        ("", Param { key, kind: unit, unit, default, range, doc: doc.into(), source: "this project" })
    };
    vec![
        row("name", "text", d.name, name::RULE.into(), "A short name, for results: a file has to say it."),
        row("description", "text", d.description, String::new(), "A sentence, for people."),
        row("kernel", "name", d.kernel.show(), keys::Kernel::names().join(" | "), "The kernel profile of every host."),
        row("seed", "count", d.seed.to_string(), String::new(), "The seed of every random stream."),
    ]
}

impl Scenario {
    /// The parameters of every discipline, as the qdiscs want them.
    pub fn qdiscs(&self) -> Setup {
        Setup {
            old: Old::of(self.kernel.series(), self.kernel.stable()),
            pfifo: self.pfifo,
            bfifo: self.bfifo,
            pfifo_fast: self.pfifo_fast,
            fq_codel: self.fq_codel,
            fq: self.fq,
            cake: self.cake,
            aaq: self.aaq,
            htb: self.htb,
            netem: self.netem,
        }
    }
    /// Sets one key. `None`: there is no such key.
    pub(super) fn set(&mut self, section: &str, key: &str, raw: &Raw) -> Option<Result<(), Refused>> {
        let text = |raw: &Raw| match raw {
            Raw::Text(t) => Ok(t.clone()),
            _ => Err(Refused::expected("a text")),
        };
        match (section, key) {
            ("", "name") => Some(name::read(raw).map(|t| self.name = t)),
            ("", "description") => Some(text(raw).map(|t| self.description = t)),
            ("", "kernel") => Some(keys::Kernel::read(raw).map(|k| self.kernel = k)),
            ("", "seed") => Some(u64::read(raw).map(|n| self.seed = n)),
            ("", _) => None,
            _ => self.set_in(section, key, raw),
        }
    }
}

/// A key as it is written outside of its section.
pub(super) fn dotted(section: &str, key: &str) -> String {
    if section.is_empty() { key.into() } else { format!("{section}.{key}") }
}

pub(super) fn is_section(name: &str) -> bool {
    Section::names().contains(&name)
}

pub(super) fn section_keys(section: &str) -> Vec<&'static str> {
    schema().into_iter().filter(|(s, _)| *s == section).map(|(_, p)| p.key).collect()
}
