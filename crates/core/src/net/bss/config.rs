//! What a BSS is built from, and which combinations make no sense.

use super::receive::Receiver;
use crate::driver::Name;
use crate::driver::{ath9k, ath9k_htc, ath10k, iwlwifi, linksys, mt76, sora};
use crate::mac80211::tao;
use crate::phy::channel::floor::Floor;
use crate::phy::channel::{self, Channel};
use crate::phy::{Band, McsLoss, Mode, Ofdm, dsss};
use crate::qdisc;
use crate::sim::{NodeId, Span, Streams};
use crate::wifi::block_ack::{WIDE_WINDOW, WINDOW};
use crate::wifi::edca::{Access, Set};
use crate::wifi::response::Erp;
use crate::wifi::{Ac, Encryption, StaMac, beacon, medium, reorder};
use crate::{mac80211, rate};

/// A BSS.
#[derive(Clone, Debug)]
pub struct BssConfig {
    /// The band.
    pub band: Band,
    /// Basic rates; empty: the mandatory 6, 12 and 24 Mbit/s.
    pub basic: Vec<Ofdm>,
    /// How the BSS gets on with 802.11b stations, should there be any.
    pub erp: Erp,
    /// The medium.
    pub medium: medium::Params,
    /// The access point's beacons.
    pub beacon: beacon::Params,
    /// MPDUs that are lost by the mode they are sent with.
    pub mcs_loss: McsLoss,
    /// The channel (if it is on) and the floor.
    pub channel: (channel::Params, channel::floor::Params),
    /// Every receiver's reorder buffers.
    pub reorder: reorder::Params,
    /// QoS stations (802.11n); otherwise every station contends by DCF and sends frames one by one (802.11a).
    pub qos: bool,
    /// What protects data frames.
    pub encryption: Encryption,
    /// TCP ACKs on link-layer responses.
    pub hack: crate::wifi::hack::Params,
    /// Room for headers in sockets' packets, bytes ([`head_room`](crate::tcp::head_room)): what is cut off a super-packet has it, too.
    pub head_room: u32,
    /// DSCPs map to user priorities as RFC 8325 has it (6.8 and later), not by their upper three bits.
    pub rfc8325: bool,
    /// What QoS stations contend with: the access point, and the others.
    pub edca: [[Access; Ac::COUNT]; 2],
    /// The stations; 0 is the access point.
    pub stations: Vec<StaConfig>,
}

/// A station of a BSS.
#[derive(Clone, Debug)]
pub struct StaConfig {
    /// Its name, for random streams and messages.
    pub name: String,
    /// The node it is.
    pub node: NodeId,
    /// The mode that the access point sends to it with; under a rate control, the fastest of those it chooses from. (The access point's
    /// own entry is not used.)
    pub mode: Mode,
    /// The same of what it sends to the access point.
    pub mode_up: Mode,
    /// Its device.
    pub driver: DriverConfig,
    /// Sends A-MPDUs.
    pub aggregates: bool,
    /// Rates and tries of what it sends.
    pub rate: rate::Setup,
    /// mac80211's queues, where the driver pulls from them.
    pub queues: mac80211::Params,
    /// How its kernel has them.
    pub kernel: mac80211::profile::Profile,
    /// It holds its TCP ACKs back until the A-MPDU that they answer is taken in.
    pub tao: Option<tao::Params>,
    /// Probability that an MPDU from it to the access point is lost.
    pub error_up: f64,
    /// Probability that an MPDU from the access point to it is lost.
    pub error_down: f64,
    /// Of those, how many are lost in a row, in the mean; none: losses are independent.
    pub error_run: Option<f64>,
    /// Weight for airtime that the access point gives it, if it has one of its own.
    pub weight: Option<u16>,
    /// Mean SNR of its channel, if it has one of its own.
    pub snr: Option<f64>,
}

/// A device and its parameters.
#[derive(Clone, Debug)]
pub enum DriverConfig {
    /// Atheros 802.11n on PCIe.
    Ath9k(ath9k::Params),
    /// The same with queues of the driver's own and a qdisc on each of its netdev queues (kernels before 4.10).
    Ath9kTidq(ath9k::Params, qdisc::Kind, Box<qdisc::Setup>),
    /// Atheros AR9271 on USB, with the qdisc on each of its queues (kernels before 6.2).
    Ath9kHtc(Box<ath9k_htc::Params>, qdisc::Kind, Box<qdisc::Setup>),
    /// The same under mac80211's TXQs ([`StaConfig::queues`]; 6.2 and later).
    Ath9kHtcTxqs(Box<ath9k_htc::Params>),
    /// Qualcomm Atheros 802.11ac on PCIe, with the qdisc on each of its queues (kernels before 4.15).
    Ath10k(Box<ath10k::Params>, qdisc::Kind, Box<qdisc::Setup>),
    /// The same under mac80211's TXQs ([`StaConfig::queues`]; 4.15 and later).
    Ath10kTxqs(Box<ath10k::Params>),
    /// MediaTek 802.11ax on PCIe, under mac80211's TXQs ([`StaConfig::queues`]).
    Mt76(Box<mt76::Params>),
    /// Intel 802.11ax on PCIe, under mac80211's TXQs ([`StaConfig::queues`]).
    Iwlwifi(Box<iwlwifi::Params>),
    /// The Linksys access point, which has queues of its own.
    Linksys(linksys::Params),
    /// SoRa: ath9k's queues without aggregation, late responses.
    Sora(ath9k::Params, sora::Params),
}

impl DriverConfig {
    /// Its name.
    pub const fn name(&self) -> Name {
        match self {
            DriverConfig::Ath9k(_) => Name::Ath9k,
            DriverConfig::Ath9kTidq(..) => Name::Ath9kTidq,
            DriverConfig::Ath9kHtc(..) | DriverConfig::Ath9kHtcTxqs(_) => Name::Ath9kHtc,
            DriverConfig::Ath10k(..) | DriverConfig::Ath10kTxqs(_) => Name::Ath10k,
            DriverConfig::Mt76(_) => Name::Mt76,
            DriverConfig::Iwlwifi(_) => Name::Iwlwifi,
            DriverConfig::Linksys(_) => Name::Linksys,
            DriverConfig::Sora(..) => Name::Sora,
        }
    }
    /// The discipline that stands above it, if one does.
    pub const fn discipline(&self) -> Option<qdisc::Kind> {
        match self {
            DriverConfig::Ath9kTidq(_, kind, _)
            | DriverConfig::Ath9kHtc(_, kind, _)
            | DriverConfig::Ath10k(_, kind, _) => Some(*kind),
            DriverConfig::Ath9k(_) | DriverConfig::Ath9kHtcTxqs(_) | DriverConfig::Ath10kTxqs(_) => None,
            DriverConfig::Mt76(_) | DriverConfig::Iwlwifi(_) => None,
            DriverConfig::Linksys(_) | DriverConfig::Sora(..) => None,
        }
    }
    /// Whether it is one of ath10k's.
    pub const fn is_ath10k(&self) -> bool {
        matches!(self, DriverConfig::Ath10k(..) | DriverConfig::Ath10kTxqs(_))
    }
    /// Whether it is mt76.
    pub const fn is_mt76(&self) -> bool {
        matches!(self, DriverConfig::Mt76(_))
    }
    /// Whether it is iwlwifi.
    pub const fn is_iwlwifi(&self) -> bool {
        matches!(self, DriverConfig::Iwlwifi(_))
    }
    /// Stations that it has at most as an access point, and why, if that is fewer than others have.
    const fn most_stations(&self) -> Option<(usize, &'static str)> {
        match self {
            DriverConfig::Ath9kHtc(..) | DriverConfig::Ath9kHtcTxqs(_) => Some((
                ath9k_htc::MOST_STATIONS,
                "its firmware knows eight, of which the access point is one (ATH9K_HTC_MAX_STA)",
            )),
            DriverConfig::Iwlwifi(_) => {
                Some((iwlwifi::MOST_STATIONS, "its firmware knows 16, of which three are its own"))
            }
            _ => None,
        }
    }
    /// Shortest time from the start of one MPDU of an aggregate to the next that it takes, which whoever sends to it keeps to. src: linux@6.12
    /// ath9k/xmit.c ath_tx_aggr_start, ath10k/mac.c ath10k_peer_assoc_h_ht, mt76/mt76_connac_mcu.c mt76_connac_mcu_wtbl_ht_tlv
    pub(super) fn density(&self) -> Span {
        match self {
            DriverConfig::Ath9k(p) | DriverConfig::Ath9kTidq(p, ..) | DriverConfig::Sora(p, _) => p.density,
            // src: linux@6.12 ath9k/htc_drv_init.c, which takes ath9k/common-init.c ath9k_cmn_setup_ht_cap, too
            DriverConfig::Ath9kHtc(..) | DriverConfig::Ath9kHtcTxqs(_) => ath9k::Params::default().density,
            DriverConfig::Ath10k(p, ..) | DriverConfig::Ath10kTxqs(p) => p.density,
            DriverConfig::Mt76(p) => p.density,
            // src: linux@6.12 iwlwifi/mvm/sta.c iwl_mvm_get_sta_ampdu_dens
            DriverConfig::Iwlwifi(p) => p.density,
            DriverConfig::Linksys(p) => p.machinery().density,
        }
    }
    /// Why it cannot have that rate control, if it cannot.
    fn refuses(&self, rate: &rate::Setup) -> Option<&'static str> {
        let asks = matches!(self, DriverConfig::Ath9k(_) | DriverConfig::Ath9kTidq(..));
        let offloads = self.is_ath10k() || self.is_mt76() || self.is_iwlwifi();
        if self.is_mt76() && rate.control == rate::Name::MinstrelHt {
            return None;
        }
        if asks || rate.control == rate::Name::Fixed || (offloads && rate.control.is_of_firmware()) {
            return None;
        }
        if self.is_mt76() {
            // src: linux@6.12 drivers/net/wireless/mediatek/mt76/mt7603/init.c, mt7615/init.c, which set TX_STATUS_NO_AMPDU_LEN
            return Some(
                "mt76's cards that leave rates to mac80211 (MT7603, MT7615) tell of each MPDU by itself, not of aggregates, which AASRC and AARC count, and \
                 the others' firmware chooses: rate_control = \"minstrel_ht\", \"fixed\", or on a channel \"ideal\"; or driver ath9k",
            );
        }
        Some(
            "the firmware of ath9k_htc's, ath10k's, iwlwifi's and the Linksys's cards chooses rates by itself: use driver ath9k, or \
             rate_control = \"fixed\" (ath10k's and iwlwifi's on a channel: \"ideal\")",
        )
    }
    const fn is_usb(&self) -> bool {
        matches!(self, DriverConfig::Ath9kHtc(..) | DriverConfig::Ath9kHtcTxqs(_))
    }
}

/// A combination that cannot be: which station, and why in a person's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadConfig {
    /// The station's name.
    pub station: String,
    /// What is wrong and what would do.
    pub why: String,
}

impl core::fmt::Display for BadConfig {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.station, self.why)
    }
}

impl core::error::Error for BadConfig {}

impl BssConfig {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), BadConfig> {
        let bad = |s: &StaConfig, why: &str| Err(BadConfig { station: s.name.clone(), why: why.into() });
        if self.stations.len() < 2 || self.stations.len() > 255 {
            let why = format!("a BSS has an access point and 1 to 254 stations, not {} in all", self.stations.len());
            return Err(BadConfig { station: "bss".into(), why });
        }
        if let Err(why) = beacon::mode(self.beacon.rate, &self.told()) {
            return Err(BadConfig { station: "beacon.rate".into(), why: why.into() });
        }
        let (ap, n) = (&self.stations[0], self.stations.len() - 1);
        if let Some((most, known)) = ap.driver.most_stations().filter(|&(most, _)| n > most) {
            let driver = ap.driver.name().name();
            let why = format!("an access point of driver {driver} has {most} stations at most, not {n}: {known}");
            return bad(ap, &why);
        }
        for (i, s) in self.stations.iter().enumerate() {
            let ht = match i {
                0 => self.stations[1..].iter().any(|s| s.mode.aggregates()),
                _ => s.mode.aggregates(),
            };
            if s.aggregates && !ht {
                return bad(s, "802.11a has no A-MPDUs: switch aggregation off, or use an HT mode");
            }
            if s.aggregates && !self.qos {
                return bad(s, "a station without QoS has no Block Ack agreements, so it sends no A-MPDUs");
            }
            let (vht, he) = (matches!(s.mode, Mode::Vht(_)), matches!(s.mode, Mode::He(_)));
            if he && !s.driver.name().does_he() {
                return bad(s, "802.11ax needs driver mt76 or iwlwifi at every station");
            }
            if vht && !s.driver.name().does_vht() {
                return bad(
                    s,
                    "it drives 802.11n cards: 802.11ac needs driver ath10k, mt76 or iwlwifi at every station",
                );
            }
            if s.driver.name().does_vht() && !self.qos {
                return bad(
                    s,
                    "the firmware of ath10k's, mt76's and iwlwifi's cards does QoS only here: use 802.11n, ac or ax, or driver ath9k",
                );
            }
            if matches!(s.driver, DriverConfig::Sora(..)) && (self.qos || s.aggregates) {
                return bad(s, "SoRa is an 802.11a radio: wifi.standard = \"a\"");
            }
            if matches!(&s.driver, DriverConfig::Sora(_, p) if !p.numbered) && self.hack.policy.rides() {
                return bad(
                    s,
                    "HACK takes an acknowledged frame for received, which SoRa without numbers does not warrant: sora.numbered = true",
                );
            }
            if s.driver.is_usb() && (!self.qos || !s.aggregates) {
                return bad(
                    s,
                    "the firmware of the AR9271 always aggregates: use an HT mode with aggregation, or ath9k",
                );
            }
            if let Some(why) = s.driver.refuses(&s.rate) {
                return bad(s, why);
            }
            if s.rate.control == rate::Name::Ideal && !self.qos {
                return bad(s, "rate_control = \"ideal\" chooses modes of 802.11n, ac or ax: wifi.standard = \"n\"");
            }
            if s.rate.control == rate::Name::Ideal && !self.channel.0.on {
                return bad(s, "rate_control = \"ideal\" asks a channel for the best mode: channel.on = true");
            }
            if matches!(s.driver, DriverConfig::Ath9kTidq(..)) && s.rate.control == rate::Name::Ideal {
                return bad(s, "rate_control = \"ideal\" is of ath9k, ath10k, mt76 and iwlwifi");
            }
            let mt7615 = s.driver.is_mt76() && s.rate.control == rate::Name::MinstrelHt;
            if mt7615 && (he || s.mode.mhz() > 80 || s.rate.old_minstrel_streams().is_some()) {
                return bad(
                    s,
                    "mt76's cards that leave rates to Minstrel-HT are of 802.11n and ac, up to 80 MHz, here with minstrel_ht.version = \"6.12\"; of 802.11ax \
                     and at 160 MHz their firmware chooses: rate_control = \"fixed\" or \"ideal\"",
                );
            }
            if s.rate.old_minstrel_streams().is_some_and(|n| !self.qos || s.mode.streams() > u32::from(n) || vht || he)
            {
                return bad(
                    s,
                    "Minstrel-HT before 5.12 knows 802.11n here, up to three streams (four from 5.4 on): use minstrel_ht.version = \"6.12\"",
                );
            }
            if self.qos && matches!(s.mode, Mode::Dsss(_)) {
                return bad(s, "an 802.11b station has no QoS: its BSS is wifi.standard = \"b\" or \"g\"");
            }
            let old = [s.mode, s.mode_up].iter().any(|m| matches!(m, Mode::Dsss(_)));
            if old && self.channel.0.on {
                return bad(s, "802.11b stations have no channel here: channel.on = false, or no 802.11b station");
            }
            if old && (s.rate.control != rate::Name::Fixed || self.stations[0].rate.control != rate::Name::Fixed) {
                return bad(s, "a BSS with 802.11b stations has fixed rates: rate_control = \"fixed\" at both ends");
            }
            if !(0.0..=1.0).contains(&s.error_up) || !(0.0..=1.0).contains(&s.error_down) {
                return bad(s, "an error rate is a probability from 0 to 1");
            }
            if let Some(run) = s.error_run {
                // In the mean (1 - p) / p MPDUs arrive for each that is lost, and at least one stands between two runs.
                if !run.is_finite() || run < 1.0 || s.error_down / run > 1.0 - s.error_down {
                    return bad(
                        s,
                        "runs of lost MPDUs have a mean of 1 or more, and of error_down / (1 - error_down) or more",
                    );
                }
            }
        }
        Ok(())
    }
    /// What the access point's beacon tells of.
    pub(super) fn told(&self) -> beacon::Told {
        let of = |is: fn(&Mode) -> bool| self.stations[1..].iter().any(|s| is(&s.mode));
        let old = |s: &StaConfig| matches!(s.mode_up, Mode::Dsss(_));
        let stations = &self.stations[1..];
        beacon::Told {
            band: self.band,
            ht: of(|m| m.aggregates()),
            vht: of(|m| matches!(m, Mode::Vht(_) | Mode::He(_))) && self.band == Band::Ghz5,
            he: of(|m| matches!(m, Mode::He(_))),
            qos: self.qos,
            dsss: [stations.iter().any(old), !stations.is_empty() && stations.iter().all(old)],
            basic: self.basic.iter().copied().min().unwrap_or(Ofdm::R6),
            interval: self.beacon.interval,
            encryption: self.encryption,
        }
    }
    /// Width of the channel, MHz.
    fn mhz(&self) -> u8 {
        self.stations[1..].iter().map(|s| s.mode.mhz()).max().unwrap_or(20)
    }
    /// The floor that stations with a place stand on.
    pub fn floor(&self) -> Floor {
        Floor::new(&self.channel.1, self.mhz(), self.band)
    }
    /// The channel between the access point and each station, if there is one.
    pub fn channel(&self, streams: &Streams) -> Option<Channel> {
        let (par, floor) = &self.channel;
        let stations = &self.stations[1..];
        let ends: Vec<_> = stations.iter().map(|s| channel::End { name: s.name.clone(), snr: s.snr }).collect();
        let most = stations.iter().map(|s| s.mode.streams()).max().unwrap_or(1);
        par.on.then(|| Channel::new(par, floor, &ends, (self.mhz(), self.band), most, streams))
    }
    /// The most that station `i` may send to each peer with, where its rate control is the ideal one; else nothing.
    pub(super) fn ideal(&self, i: usize) -> Vec<Mode> {
        let s = &self.stations[i];
        match (s.rate.control, i) {
            (rate::Name::Ideal, 0) => self.stations.iter().map(|s| s.mode).collect(),
            (rate::Name::Ideal, _) => vec![s.mode_up],
            _ => Vec::new(),
        }
    }
    /// MPDUs of the Block Ack windows between stations `i` and `peer`, one of which is the access point.
    pub(super) fn window(&self, i: usize, peer: usize) -> u16 {
        let station = &self.stations[i.max(peer)];
        if matches!(station.mode, Mode::He(_)) { WIDE_WINDOW } else { WINDOW }
    }
    /// The widest of them.
    pub(super) fn widest(&self) -> u16 {
        (1..self.stations.len()).map(|i| self.window(i, 0)).max().unwrap_or(WINDOW)
    }
    /// The receiving side of station `i`.
    pub(super) fn receiver(&self, i: usize) -> Receiver {
        let n = self.stations.len();
        let windows = (0..n).map(|peer| self.window(i, peer)).collect();
        let s = &self.stations[i];
        let own = matches!(&s.driver, DriverConfig::Mt76(p) if p.reorder);
        // iwlwifi's own is as mac80211's, but for its time. src: linux@5.15 iwlwifi/mvm/rxmq.c iwl_mvm_reorder_timer_expired
        let rule = match &s.driver {
            DriverConfig::Iwlwifi(p) => reorder::Params { timeout: p.reorder_timeout },
            _ => self.reorder,
        };
        Receiver::new(windows, &rule, s.rate.hz, own)
    }
    /// What station `i` contends with.
    pub(super) fn access(&self, i: usize) -> [Access; Ac::COUNT] {
        if self.qos {
            return self.edca[i.min(1)];
        }
        let old = |s: &StaConfig| matches!(s.mode_up, Mode::Dsss(_));
        // src: 802.11-2020 18.4.5: aCWmin(0), of whoever knows no OFDM; aCWmin(1) of the others
        let cck = if i == 0 { self.stations[1..].iter().all(old) } else { old(&self.stations[i]) };
        Set::Dcf.all().map(|a| if cck { Access { cw_min: dsss::CW_MIN, ..a } } else { a })
    }
    /// How frames of DSSS and CCK are answered, where there may be some, and how it gets on with 802.11b stations.
    pub(super) fn erp(&self) -> Option<Erp> {
        let old = |s: &StaConfig| matches!(s.mode, Mode::Dsss(_)) || matches!(s.mode_up, Mode::Dsss(_));
        let stations = &self.stations[1..];
        let protects = self.erp.protects && !stations.iter().all(old);
        let about = stations.iter().any(old);
        (about || self.band == Band::Ghz2).then_some(Erp { about, protects, ..self.erp })
    }
}

impl StaConfig {
    pub(super) fn mac(&self, cfg: &BssConfig) -> StaMac {
        let i = cfg.stations.iter().position(|s| core::ptr::eq(s, self)).expect("a station of this BSS");
        let mut access = cfg.access(i);
        // src: linux@6.12 ath9k/mac.h INIT_SSH_RETRY, INIT_SH_RETRY; ath9k_htc programs them by the same code
        let (mut late, mut patience) = (None, crate::sim::Span::ZERO);
        let (window_limit, rts_limit) = match &self.driver {
            DriverConfig::Sora(_, p) => {
                late = Some(sora::Late::new(p));
                patience = p.patience();
                (7, 7) // dot11ShortRetryLimit
            }
            // That ath10k's hardware does the same is assumed: a MAC of the same family.
            DriverConfig::Ath9k(_)
            | DriverConfig::Ath9kTidq(..)
            | DriverConfig::Ath10k(..)
            | DriverConfig::Ath10kTxqs(_) => (32, 10),
            // The standard's: what the firmware sets is not public.
            DriverConfig::Mt76(_) | DriverConfig::Iwlwifi(_) => (7, 7),
            DriverConfig::Linksys(p) => {
                access[Ac::Be.ix()].txop = p.burst;
                (7, 7) // dot11ShortRetryLimit
            }
            DriverConfig::Ath9kHtc(..) | DriverConfig::Ath9kHtcTxqs(_) => {
                for a in &mut access {
                    a.cw_min = ath9k_htc::cw_min(a.cw_min);
                }
                (32, 10)
            }
        };
        StaMac {
            name: self.name.clone(),
            access,
            qos: cfg.qos,
            window_limit,
            // What nobody answers is sent again by a PPDU of its own.
            resets_window: !self.driver.name().forms_anew(),
            rts_limit,
            late,
            patience,
            error_up: self.error_up,
            error_down: self.error_down,
            error_run: self.error_run,
        }
    }
}
