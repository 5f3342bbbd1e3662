//! What iwlwifi's cards, their firmware and their host driver are made of: every constant of the model, with its source.
//!
//! The firmware is closed: what is fact and what is assumed is in docs/devices/iwlwifi.md.

use crate::driver::offload::Limits;
use crate::params;
use crate::phy::Band;
use crate::phy::duration::PPDU_MAX;
use crate::sim::Span;
use crate::wifi::block_ack::{WIDE_WINDOW, WINDOW};

params! {
    /// An Intel 802.11ax card on PCIe (AX200, AX201, AX210, AX211) and its driver. The defaults are the AX200's.
    pub struct Params {
        /// Descriptors (TFDs) of a queue, of which each (station, TID) has its own: 256 (AX200), or 1024 (AX210). An MPDU takes one. The queue is stopped
        /// with less than an eighth free, and woken with more than a quarter.
        tfds: u16 = 256, in 32 => 1_024, src "linux@6.12 iwlwifi/cfg/22000.c max_tfd_queue_size, cfg/ax210.c min_ba_txq_size; pcie/tx.c iwl_queue_init (low_mark, high_mark)";
        /// MPDUs in an A-MPDU at most: 63 (AX200, whose firmware leaves one of 64 out), or 256 (AX210); a peer of 802.11n or 802.11ac takes 64. Up to 64 the
        /// agreement is of 64.
        ampdu_frames: u16 = 63, in 1 => 256, src "linux@6.12 iwlwifi/cfg/22000.c max_tx_agg_size 64 (ax210.c: none, 256 by mvm/ops.c); linux-wireless, 5 and 12 December 2019: 63, for reasons of its own; what the AX210's leaves out is not public";
        /// MSDUs in an A-MSDU at most, which the driver forms of a super-packet and mac80211 of packets that wait; 1: none. The driver has no limit but the
        /// bytes; the model has room for 7.
        amsdu_msdus: u8 = 7, in 1 => 7, src "linux@6.12 iwlwifi/mvm/tx.c iwl_mvm_tx_tso; net/mac80211/tx.c ieee80211_amsdu_aggregate: max_amsdu_subframes 0";
        /// MPDU length that a VHT or HE peer takes, bytes: 3895, 7991 or 11454 (the card's own). The driver lets an A-MSDU have as many.
        mpdu_bytes: u16 = 7_991, in 1_600 => 11_454, unit "bytes", src "linux@6.12 iwlwifi/mvm/rs-fw.c rs_fw_get_max_amsdu_len, iwl_mvm_tlc_update_notif; iwl-nvm-parse.c IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_11454; 7991 of the access point in the measurement";
        /// A-MSDU length that an HT peer takes, bytes: 3839 or 7935. The driver keeps to 4095 within an A-MPDU.
        amsdu_bytes: u16 = 7_935, in 3_839 => 7_935, unit "bytes", src "linux@6.12 iwlwifi/mvm/rs-fw.c rs_fw_get_max_amsdu_len: IEEE80211_MAX_MPDU_LEN_HT_BA";
        /// Maximum A-MPDU length exponent that a VHT peer announces: 2^(13 + n) - 1 bytes. An HT peer takes 65535.
        ampdu_exponent: u8 = 7, in 0 => 7, src "linux@6.12 iwlwifi/iwl-nvm-parse.c iwl_init_vht_hw_capab: IEEE80211_VHT_MAX_AMPDU_1024K";
        /// The extension of that exponent that an HE peer announces beside 7: 2^(20 + n) - 1 bytes, and 6,500,631 at most; at 2.4 GHz 2^(16 + n) - 1.
        he_ampdu_extension: u8 = 1, in 0 => 3, src "linux@6.12 iwlwifi/iwl-nvm-parse.c iwl_nvm_fixup_sband_iftd: IEEE80211_HE_MAC_CAP3_MAX_AMPDU_LEN_EXP_EXT_1 (2.4 GHz: EXT_3)";
        /// A PPDU's time on the air at most.
        airtime: Span = PPDU_MAX, in Span::from_us(200) => PPDU_MAX, src "assumed: the standard's, 802.11ax-2021 table 27-54 aPPDUMaxTime; what the firmware itself allows is not public";
        /// Shortest time from the start of one MPDU of an aggregate to the next that the card takes as a receiver: what it announces to its peers.
        density: Span = Span::from_us(4), in Span::ZERO => Span::from_us(16), src "linux@6.12 iwlwifi/iwl-nvm-utils.c iwl_init_ht_hw_capab: IEEE80211_HT_MPDU_DENSITY_4";
        /// PPDUs that stand in a hardware queue, the one on the air included.
        depth: u8 = 2, in 1 => 16, src "assumed: one on the air, one ready";
        /// Of these, PPDUs of one peer and TID: with two, the window would be shared between them.
        tid_depth: u8 = 1, in 1 => 16, src "assumed: the hardware forms an A-MPDU when the one before is answered";
        /// Transmissions of an MPDU at most. Each is of a PPDU that is formed anew; `[fixed]` has no say in it.
        tries: u8 = 15, in 1 => 31, src "assumed: linux@6.12 iwlwifi/fw/api/tx.h IWL_DEFAULT_TX_RETRY, which firmware that chooses rates is not told";
        /// How long the firmware gathers completions (Block Ack notifications) before it tells the host of them, from the first on.
        report: Span = Span::ZERO, in Span::ZERO => Span::from_ms(20), src "assumed: nothing of it is public; the driver sets a timer of 2048 us that gathers interrupts (pcie/rx.c IWL_HOST_INT_TIMEOUT_DEF), which MSI-X may pass by";
        /// The driver takes TCP's super-packets whole, and cuts them into A-MSDUs itself (ethtool's tx-tcp-segmentation). Off: the stack cuts them before mac80211.
        tso: bool = true, src "linux@6.12 iwlwifi/iwl-config.h IWL_TX_CSUM_NETIF_FLAGS: NETIF_F_TSO; mvm/tx.c iwl_mvm_tx_skb_sta";
        /// Received frames of a TCP stream that its polls (NAPI) find together go up as one packet.
        gro: bool = true, src "linux@6.12 iwlwifi/mvm/rxmq.c iwl_mvm_pass_packet_to_mac80211: ieee80211_rx_napi; on unless switched off";
        /// How long a received frame waits for an earlier one that is missing: the driver's reorder buffer has a timer up to Linux 6.6; since 6.7 the firmware
        /// says what may go on, and how long it waits is assumed to be the same.
        reorder_timeout: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(10), src "assumed: as when the driver had it, linux@5.15 iwlwifi/mvm/rxmq.c RX_REORDER_BUF_TIMEOUT_MQ; linux-wireless, 17 October 2023 (simplify the reorder buffer): firmware reports what times out";
        /// PSDUs of more bytes are protected by RTS/CTS.
        rts_threshold: Option<u32> = None, in Some(0) => Some(65_535), unit "bytes", src "assumed: none; linux@6.12 iwlwifi/mvm/mac80211.c: IEEE80211_MAX_RTS_THRESHOLD unless set; what the firmware protects on its own is not public";
    }
}

/// Bytes of a PSDU at most. src: 802.11ax-2021 table 27-55
const HE_PSDU_MAX: u32 = 6_500_631;

impl Params {
    /// Free descriptors of a queue of which `used` are taken: where the ring is no longer than the queue (256), one stays free, by which full is told from empty.
    /// src: linux@6.12 iwlwifi/pcie/tx-gen2.c iwl_txq_space
    pub(super) const fn space(&self, used: u16) -> u16 {
        let most = if self.tfds == 256 { 255 } else { self.tfds };
        most.saturating_sub(used)
    }
    /// With less free than this the queue is stopped. src: linux@6.12 iwlwifi/pcie/tx.c iwl_queue_init
    pub(super) fn high_mark(&self) -> u16 {
        (self.tfds / 8).max(2)
    }
    /// With more free than this it is woken.
    pub(super) fn low_mark(&self) -> u16 {
        (self.tfds / 4).max(4)
    }
    /// MPDUs of the agreements that the card asks for.
    pub(super) fn window(&self) -> u16 {
        if self.ampdu_frames <= WINDOW { WINDOW } else { WIDE_WINDOW }
    }
    /// This device's limits.
    pub(super) fn limits(&self, band: Band) -> Limits {
        let base = if band == Band::Ghz2 { 16 } else { 20 }; // as mt76's
        Limits {
            msdus: 1_024, // completions gather in so much room without growing
            ampdu_frames: self.ampdu_frames,
            amsdu_msdus: self.amsdu_msdus,
            amsdus_by_host: true,
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
