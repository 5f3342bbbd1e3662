//! What ath10k's cards, their firmware and their host driver are made of: every constant of the model, with its source.
//!
//! The firmware is closed: what is fact, what is assumed and what is calibrated, device by device, is in
//! docs/devices/ath10k.md.

use crate::driver::offload::Limits;
use crate::params;
use crate::phy::duration::PPDU_MAX;
use crate::sim::Span;

params! {
    /// A Qualcomm Atheros 802.11ac card on PCIe and its driver. The defaults are the QCA988x's (firmware 10.x).
    pub struct Params {
        /// MSDUs that the firmware takes (`max_num_pending_tx`): 1424 by 10.x firmware (QCA988x), 1056 by TLV firmware (QCA6174).
        msdus: u16 = 1_424, in 2 => 4_096, src "linux@6.12 ath10k/hw.h TARGET_10X_NUM_MSDU_DESC, TARGET_TLV_NUM_MSDU_DESC";
        /// MPDUs in an A-MPDU at most.
        ampdu_frames: u8 = 64, in 1 => 64, src "linux@6.12 ath10k/htt.h ATH10K_HTT_MAX_NUM_AMPDU_DEFAULT; htt_tx.c: firmware's default";
        /// MSDUs in an A-MSDU at most; 1: none. What the driver asks the firmware for; with it the model carries what is published of a
        /// QCA6174A (docs/devices/ath10k.md).
        amsdu_msdus: u8 = 3, in 1 => 7, src "linux@6.12 ath10k/htt.h ATH10K_HTT_MAX_NUM_AMSDU_DEFAULT; htt.c ath10k_htt_setup sends it";
        /// MPDU length that a VHT peer takes, bytes: 3895, 7991 or 11454.
        mpdu_bytes: u16 = 11_454, in 1_600 => 11_454, unit "bytes", src "802.11-2020 table 9-34; the QCA988x announces the largest (vht_cap_info)";
        /// A-MSDU length that an HT peer takes, bytes: 3839 or 7935.
        amsdu_bytes: u16 = 7_935, in 3_839 => 7_935, unit "bytes", src "linux@6.12 ath10k/mac.c ath10k_get_ht_cap: IEEE80211_HT_CAP_MAX_AMSDU";
        /// Maximum A-MPDU length exponent that a VHT peer announces: 2^(13 + n) - 1 bytes. An HT peer takes 65535.
        ampdu_exponent: u8 = 7, in 0 => 7, src "802.11-2020 9.4.2.157.2; linux@6.12 ath10k/mac.c ath10k_peer_assoc_h_vht";
        /// A PPDU's time on the air at most.
        airtime: Span = PPDU_MAX, in Span::from_us(200) => PPDU_MAX, src "assumed: the standard's, 802.11-2020 table 21-29 aPPDUMaxTime; what the firmware itself allows is not public";
        /// Shortest time from the start of one MPDU of an aggregate to the next that the card takes as a receiver: what it announces to its peers.
        density: Span = Span::from_us(8), in Span::ZERO => Span::from_us(16), src "linux@6.12 ath10k/mac.c ath10k_get_ht_cap: IEEE80211_HT_MPDU_DENSITY_8";
        /// PPDUs that stand in a hardware queue, the one on the air included.
        depth: u8 = 2, in 1 => 16, src "assumed: one on the air, one ready";
        /// Of these, PPDUs of one peer and TID: with two, neither could fill the Block Ack window.
        tid_depth: u8 = 1, in 1 => 16, src "assumed: an A-MPDU of 64, the firmware's default, fills the window of 64";
        /// Software retries of an MPDU; each is a whole rate chain of the hardware.
        retries: u8 = 10, in 0 => 60, src "assumed: as the same maker's AR9271 firmware (OWLMAX_RETRIES)";
        /// How long the firmware gathers transmit completions before it tells the host of them, from the first on. Calibrated.
        report: Span = Span::from_ms(3), in Span::ZERO => Span::from_ms(20), src "calibrated: hard-times fig 13, CUBIC at TSQ and 1p: 25 Mbit/s";
        /// Received frames of a TCP stream that its polls (NAPI) find together go up as one packet, on kernels from 4.9 on.
        gro: bool = true, src "linux@6.12 net/mac80211/rx.c ieee80211_rx_napi; include/linux/netdev_features.h NETIF_F_SOFT_FEATURES: on unless switched off";
        /// PSDUs of more bytes are protected by RTS/CTS.
        rts_threshold: Option<u32> = None, in Some(0) => Some(65_535), unit "bytes", src "linux@6.12 ath10k/mac.c ath10k_set_rts_threshold: the firmware takes wiphy->rts_threshold";
    }
}

impl Params {
    /// This device's limits.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            msdus: self.msdus,
            ampdu_frames: self.ampdu_frames.into(),
            amsdu_msdus: self.amsdu_msdus,
            amsdus_by_host: false,
            mpdu_bytes: self.mpdu_bytes,
            amsdu_bytes: self.amsdu_bytes,
            vht_bytes: (1 << (13 + self.ampdu_exponent)) - 1,
            he_bytes: 0, // an 802.11ac card
            airtime: self.airtime,
            depth: self.depth,
            tid_depth: self.tid_depth,
            retries: self.retries,
            once: false,
            rts_threshold: self.rts_threshold,
        }
    }
}
