//! What mt76's cards, their firmware and their host driver are made of: every constant of the model, with its source.
//!
//! The firmware is closed: what is fact and what is assumed is in docs/devices/mt76.md.

use crate::driver::offload::Limits;
use crate::params;
use crate::phy::Band;
use crate::phy::duration::PPDU_MAX;
use crate::sim::Span;

params! {
    /// A MediaTek 802.11ax card on PCIe (mt7915, mt7916, mt7921) and its driver. The defaults are the mt7915's.
    pub struct Params {
        /// Packets that the card has at a time (tokens): the transmit queues are blocked with 64 fewer than the firmware's 8192.
        tokens: u16 = 8_128, in 2 => 8_192, src "linux@6.12 mt76/mt7915/mt7915.h MT7915_TOKEN_SIZE; tx.c mt76_token_consume, MT76_TOKEN_FREE_THR";
        /// MPDUs in an A-MPDU at most; a peer of 802.11n or 802.11ac takes 64.
        ampdu_frames: u16 = 256, in 1 => 256, src "assumed: as many as are agreed on, linux@6.12 mt76/mt7915/init.c max_tx_aggregation_subframes (IEEE80211_MAX_AMPDU_BUF_HE); what the firmware itself allows is not public";
        /// MSDUs in an A-MSDU at most, which the hardware builds; 1: none. The firmware is told 8; the model has room for 7.
        amsdu_msdus: u8 = 7, in 1 => 7, src "linux@6.12 mt76/mt7915/mcu.c mt7915_mcu_sta_amsdu_tlv: max_amsdu_num 8, for peers that take A-MSDUs";
        /// MPDU length that the hardware fills, bytes: its own limit or the peer's, 3895, 7991 (mt7915, mt7921) or 11454 (mt7916).
        mpdu_bytes: u16 = 7_991, in 1_600 => 11_454, unit "bytes", src "linux@6.12 mt76/mt7915/mcu.c mt7915_mcu_sta_amsdu_tlv; init.c IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_7991";
        /// A-MSDU length that an HT peer takes, bytes: 3839 or 7935.
        amsdu_bytes: u16 = 7_935, in 3_839 => 7_935, unit "bytes", src "linux@6.12 mt76/mt7915/init.c mt7915_init_wiphy, mt7921/init.c mt7921_init_wiphy: IEEE80211_HT_CAP_MAX_AMSDU";
        /// Maximum A-MPDU length exponent that a VHT peer announces: 2^(13 + n) - 1 bytes. An HT peer takes 65535.
        ampdu_exponent: u8 = 7, in 0 => 7, src "linux@6.12 mt76/mt7915/init.c IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_MASK";
        /// The extension of that exponent that an HE peer announces beside 7: 2^(20 + n) - 1 bytes, and 6,500,631 at most; at 2.4 GHz 2^(16 + n) - 1.
        he_ampdu_extension: u8 = 3, in 0 => 3, src "linux@6.12 mt76/mt7915/init.c IEEE80211_HE_MAC_CAP3_MAX_AMPDU_LEN_EXP_EXT_3; 802.11ax-2021 9.4.2.248.2, table 27-55 (aPSDUMaxLength)";
        /// A PPDU's time on the air at most.
        airtime: Span = PPDU_MAX, in Span::from_us(200) => PPDU_MAX, src "assumed: the standard's, 802.11ax-2021 table 27-54 aPPDUMaxTime; what the firmware itself allows is not public";
        /// Shortest time from the start of one MPDU of an aggregate to the next that the card takes as a receiver: what it announces to its peers.
        density: Span = Span::from_us(4), in Span::ZERO => Span::from_us(16), src "linux@6.12 mt76/mt7915/init.c IEEE80211_HT_MPDU_DENSITY_4";
        /// PPDUs that stand in a hardware queue, the one on the air included.
        depth: u8 = 2, in 1 => 16, src "assumed: one on the air, one ready";
        /// Of these, PPDUs of one peer and TID: with two, the window would be shared between them.
        tid_depth: u8 = 1, in 1 => 16, src "assumed: the hardware forms an A-MPDU when the one before is answered";
        /// Transmissions of an MPDU at most. Each is of a PPDU that is formed anew; `[fixed]` has no say in it.
        tries: u8 = 15, in 1 => 31, src "linux@6.12 mt76/mt76_connac_mac.c mt76_connac2_mac_write_txwi: MT_TXD3_REM_TX_COUNT 15";
        /// How long the firmware gathers completions (the tx-free event) before it tells the host of them, from the first on.
        report: Span = Span::ZERO, in Span::ZERO => Span::from_ms(20), src "assumed: nothing of it is public; one event holds up to 1023 packets (mt7915/mac.c mt7915_mac_tx_free)";
        /// Received frames of a TCP stream that its polls (NAPI) find together go up as one packet.
        gro: bool = true, src "linux@6.12 mt76/mac80211.c mt76_rx_complete: napi_gro_receive; on unless switched off";
        /// Received frames wait for earlier ones that are missing in the driver's own reorder buffer, and not in mac80211's.
        reorder: bool = true, src "linux@6.12 mt76/agg-rx.c mt76_rx_aggr_reorder; mac80211.c mt76_phy_init: SUPPORTS_REORDERING_BUFFER";
        /// The hardware makes the 802.11 header and the CCMP header: what waits in TXQs, and AQL counts, has an Ethernet header.
        encap: bool = true, src "linux@6.12 mt76/mt7915/init.c mt7915_init_wiphy: SUPPORTS_TX_ENCAP_OFFLOAD (mt7921 has it, too)";
        /// PSDUs of more bytes are protected by RTS/CTS.
        rts_threshold: Option<u32> = None, in Some(0) => Some(65_535), unit "bytes", src "assumed: none; linux@6.12 mt76/mt76_connac_mcu.c mt76_connac_mcu_set_rts_thresh: 2347 bytes unless set, and a count of 2 packets, of which nothing says what it does";
    }
}

/// Bytes of a PSDU at most. src: 802.11ax-2021 table 27-55
const HE_PSDU_MAX: u32 = 6_500_631;

impl Params {
    /// The same of a card that leaves rates to mac80211: its three rates have four attempts each, and A-MSDUs it forms none (mac80211 forms them for it,
    /// which is not modelled). src: linux@6.12 mt76/mt7615/mac.c mt7615_mac_set_rates (`rate_count`); mac80211.c mt76_phy_init (`TX_AMSDU`)
    pub fn mt7615(&self) -> Params {
        Params { tries: self.tries.min(12), amsdu_msdus: 1, ..*self }
    }
    /// This device's limits.
    pub(super) fn limits(&self, band: Band) -> Limits {
        // At 2.4 GHz a station has no VHT exponent beside it, but HT's. src: linux@6.12 drivers/net/wireless/ath/ath11k/mac.c ath11k_peer_assoc_h_he,
        // include/linux/ieee80211.h IEEE80211_HE_VHT_MAX_AMPDU_FACTOR, IEEE80211_HE_HT_MAX_AMPDU_FACTOR
        let base = if band == Band::Ghz2 { 16 } else { 20 };
        Limits {
            msdus: self.tokens,
            ampdu_frames: self.ampdu_frames,
            amsdu_msdus: self.amsdu_msdus,
            amsdus_by_host: false,
            mpdu_bytes: self.mpdu_bytes,
            amsdu_bytes: self.amsdu_bytes,
            vht_bytes: (1 << (13 + self.ampdu_exponent)) - 1,
            he_bytes: HE_PSDU_MAX.min((1 << (base + self.he_ampdu_extension)) - 1),
            airtime: self.airtime,
            depth: self.depth,
            tid_depth: self.tid_depth,
            retries: self.tries - 1,
            once: true,
            rts_threshold: self.rts_threshold,
        }
    }
}
