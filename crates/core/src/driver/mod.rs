//! Device drivers: Ethernet with BQL, ath9k, ath9k_htc, ath10k, mt76, iwlwifi, the Linksys access point, SoRa.

pub mod ath10k;
pub mod ath9k;
pub mod ath9k_htc;
pub mod bql;
pub mod ethernet;
pub mod holds;
pub mod iwlwifi;
pub mod linksys;
pub mod mt76;
pub mod offload;
pub mod sora;

crate::choices! {
    /// A Wi-Fi driver by its name.
    pub enum Name {
        /// Atheros 802.11n on PCIe: AR9580, AR5BHB116.
        Ath9k = "ath9k",
        /// The same card before Linux 4.10: a qdisc above the driver's own TID queues.
        Ath9kTidq = "ath9k_tidq",
        /// Atheros AR9271 on USB.
        Ath9kHtc = "ath9k_htc",
        /// Qualcomm Atheros 802.11ac on PCIe: QCA988x, QCA6174.
        Ath10k = "ath10k",
        /// MediaTek 802.11ax on PCIe: MT7915, MT7916, MT7921.
        Mt76 = "mt76",
        /// Intel 802.11ax on PCIe: AX200, AX201, AX210, AX211.
        Iwlwifi = "iwlwifi",
        /// The thesis's commercial access point, a Broadcom chip; access points only.
        Linksys = "linksys",
        /// The thesis's software radio: 802.11a, late acknowledgements.
        Sora = "sora",
    }
}

impl Name {
    /// Whether its cards do 802.11ac, at least.
    pub const fn does_vht(self) -> bool {
        match self {
            Name::Ath9k | Name::Ath9kTidq | Name::Ath9kHtc | Name::Linksys | Name::Sora => false,
            Name::Ath10k | Name::Mt76 | Name::Iwlwifi => true,
        }
    }
    /// Frames that its card's receive ring holds. The Broadcom's is not known: as ath9k's. src: linux@6.12 ath9k/ath9k.h ATH_RXBUF, ath9k/htc.h
    /// ATH9K_HTC_RXBUF, ath10k/htt.h HTT_RX_RING_FILL_LEVEL, mt76/mt7915/mt7915.h MT7915_RX_RING_SIZE (mt7921: as many),
    /// iwlwifi/cfg/22000.c IWL_NUM_RBDS_22000_HE (AX210: 4096)
    pub const fn rx_ring(self) -> u32 {
        match self {
            Name::Ath9k | Name::Ath9kTidq | Name::Linksys | Name::Sora => 512,
            Name::Ath9kHtc => 256,
            Name::Ath10k => 1023,
            Name::Mt76 => 1536,
            Name::Iwlwifi => 2048,
        }
    }
    /// Whether its cards do 802.11ax.
    pub const fn does_he(self) -> bool {
        matches!(self, Name::Mt76 | Name::Iwlwifi)
    }
    /// Whether its firmware forms a PPDU anew from what nobody answered, where others send what they formed again.
    pub const fn forms_anew(self) -> bool {
        matches!(self, Name::Mt76 | Name::Iwlwifi)
    }
    /// Whether driver or firmware put received frames in order in mac80211's place. src: linux@6.12 mt76/agg-rx.c mt76_rx_aggr_reorder,
    /// which `mt76.reorder` switches off; iwlwifi/mvm/rxmq.c iwl_mvm_reorder. ath10k's firmware leaves it to mac80211: ath10k/htt_rx.c
    /// ath10k_htt_rx_addba (ieee80211_start_rx_ba_session_offl)
    pub const fn reorders(self) -> bool {
        matches!(self, Name::Mt76 | Name::Iwlwifi)
    }
    /// Whether it permits A-MSDUs within the A-MPDUs that it receives. Where mac80211 answers the agreement, only if the driver has said so,
    /// which neither ath9k nor ath9k_htc does, and mt76 and iwlwifi do (linux@6.12 net/mac80211/agg-rx.c ieee80211_send_addba_resp:
    /// SUPPORTS_AMSDU_IN_AMPDU); ath10k's firmware answers itself.
    pub const fn permits_amsdus(self) -> bool {
        match self {
            Name::Ath10k | Name::Mt76 | Name::Iwlwifi => true,
            Name::Ath9k | Name::Ath9kTidq | Name::Ath9kHtc | Name::Linksys | Name::Sora => false,
        }
    }
    /// Whether the driver asks for airtime queue limits (NL80211_EXT_FEATURE_AQL).
    pub const fn asks_for_aql(self) -> bool {
        match self {
            Name::Ath9k | Name::Ath9kTidq | Name::Ath9kHtc | Name::Linksys | Name::Sora => false,
            Name::Iwlwifi => false, // src: linux@6.12 iwlwifi/mvm/mac80211.c, which does not name it
            Name::Ath10k | Name::Mt76 => true,
        }
    }
}
