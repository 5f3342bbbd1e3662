//! What the AR9271, its firmware and its host driver are made of: every constant of the model, with its source.
//!
//! The firmware is open-ath9k-htc-firmware 1.4 ("fw" below), the driver Linux 6.12 drivers/net/wireless/ath/ath9k. The values
//! of the driver's constants are those of 4.14 and 5.4 too, as far as docs/devices/ath9k_htc.md could establish it.

use crate::params;
use crate::sim::Span;
use crate::wifi::Encryption;

params! {
    /// The AR9271 behind ath9k_htc.
    pub struct Params {
        /// Frames that the driver holds, from the netdev queue to their TX status, when it stops the netdev queues.
        tx_threshold: u16 = 246, in 1 => 256, src "linux@6.12 ath9k/htc.h ATH9K_HTC_TX_THRESHOLD = MAX_TX_BUF_NUM 256 - ATH9K_HTC_TX_RESERVE 10";
        /// Frames in one USB request (URB) at most.
        urb_frames: u8 = 20, in 1 => 64, src "linux@6.12 ath9k/hif_usb.h MAX_TX_AGGR_NUM";
        /// Bytes in one USB request at most.
        urb_bytes: u32 = 32_768, in 2_048 => 65_536, unit "bytes", src "linux@6.12 ath9k/hif_usb.h MAX_TX_BUF_SIZE";
        /// Transmit buffers on the device: with none free it takes no more from USB. An access point's beacon has one of them.
        target_buffers: u8 = 33, in 2 => 64, src "fw wlan/include/k2/wlan_cfg.h ATH_TXBUF (FUSION_USB_FW); linux@6.12 ath9k/htc_drv_init.c credits";
        /// MPDUs in an A-MPDU at most.
        ampdu_frames: u8 = 17, in 1 => 32, src "fw wlan/if_owl.c ath_tgt_tx_form_aggr (PROJECT_K2)";
        /// Bytes in an A-MPDU at most, besides what the rate allows.
        ampdu_bytes: u32 = 65_535, in 2_048 => 65_535, unit "bytes", src "linux@6.12 ath9k/htc_drv_main.c ath9k_htc_update_cap_target (ampdu_limit)";
        /// Software retries of an MPDU; each is a whole rate chain of the hardware.
        retries: u8 = 10, in 0 => 30, src "fw wlan/if_athvar.h OWLMAX_RETRIES";
        /// TX statuses in one event.
        status_frames: u8 = 12, in 1 => 12, src "fw wlan/include/wmi.h HTC_MAX_TX_STATUS; linux@6.12 ath9k/wmi.h";
        /// Status events that the device can hold before the host has fetched them; more are lost.
        status_events: u8 = 8, in 1 => 64, src "fw wlan/include/k2/wlan_cfg.h ATH_WMI_MAX_EVENTS";
        /// Bulk packets of 512 bytes in a microframe of 125 us: the bus's rate.
        bulk_packets: u8 = 13, in 1 => 13, src "assumed: as many as the standard has room for, USB 2.0 table 5-10; no controller exceeds it";
        /// Least time between two interrupts of the host's USB controller.
        host_irq: Span = Span::from_us(40), in Span::ZERO => Span::from_ms(1), src "assumed: an xHCI controller, linux@6.12 drivers/usb/host/xhci-pci.c imod_interval (EHCI: 125 us)";
        /// Frames in one upload transfer at most.
        upload_frames: u8 = 10, in 1 => 64, src "fw target/init/app_start.c (max aggregate 9, counted from 0); linux@6.12 ath9k/hif_usb.h MAX_PKT_NUM_IN_TRANSFER";
        /// Bytes in one upload transfer at most.
        upload_bytes: u32 = 16_384, in 2_048 => 32_768, unit "bytes", src "fw target/init/app_start.c (mode bits 10), inc/k2/k2/rom_cfg.h; linux@6.12 ath9k/hif_usb.h MAX_RX_BUF_SIZE";
        /// An upload transfer that gets no further frame for this long ends.
        upload_timeout: Span = Span::from_ns(170_667), in Span::ZERO => Span::from_ms(10), src "fw target/init/app_start.c (0xa0), inc/k2/k2/rom_cfg.h (units of 32 cycles at 30 MHz)";
        /// The driver's cleanup timer: finds statuses that came before their USB request was complete.
        cleanup: Span = Span::from_ms(50), in Span::from_ms(1) => Span::from_s(1), src "linux@6.12 ath9k/htc.h ATH9K_HTC_TX_CLEANUP_INTERVAL";
        /// After this long without a status the driver frees a frame.
        status_timeout: Span = Span::from_s(3), in Span::from_ms(1) => Span::from_s(60), src "linux@6.12 ath9k/htc.h ATH9K_HTC_TX_TIMEOUT_INTERVAL";
        /// The device's CPU (Xtensa, 117 MHz) handles one frame once: takes it from USB, puts it into an aggregate, completes
        /// it, or passes a received one on. Calibrated: 1400 cycles.
        cpu_frame: Span = Span::from_us(12), in Span::ZERO => Span::from_us(100), src "calibrated: cotsq fig 3b goodput; clock: fw inc/k2/k2/rom_cfg.h SYSTEM_FREQ comment";
        /// One idle turn of the device's main loop: how late it may notice what came: about 1200 cycles.
        cpu_turn: Span = Span::from_us(10), in Span::from_ns(1) => Span::from_ms(1), src "assumed: order of magnitude; work: fw target/init/init.c wlan_task";
        /// The device's CPU begins or ends one transmit unit: interrupt, tasklet, rate control. Calibrated: 4700 cycles.
        cpu_ppdu: Span = Span::from_us(40), in Span::ZERO => Span::from_ms(1), src "calibrated: cotsq fig 3b goodput; work: fw wlan/ratectrl_11n_ln.c rcRateFind_11n, ath_rate_tx_complete_11n";
    }
}

/// A USB microframe.
pub(super) const MICROFRAME: Span = Span::from_us(125);
/// Bytes of a bulk packet at high speed.
const BULK_PACKET: u32 = 512;
/// Bytes that a frame has on USB OUT beyond its IP packet: stream header 4, HTC header 8, frame header 12, QoS header 26 padded
/// to 28, LLC 8. src: linux@6.12 ath9k/hif_usb.c __hif_usb_tx, htc_hst.h, htc.h tx_frame_hdr, htc_drv_main.c ath9k_htc_tx
const OUT_OVERHEAD: u32 = 4 + 8 + 12 + 28 + 8;
/// Bytes that a frame has on USB IN beyond its IP packet: stream header 4, HTC header 8, receive status 40, QoS header padded
/// to 28, LLC 8, FCS 4. src: linux@6.12 ath9k/hif_usb.c ath9k_hif_usb_rx_stream, htc.h HTC_RX_FRAME_HEADER_SIZE
const IN_OVERHEAD: u32 = 4 + 8 + 40 + 28 + 8 + 4;

/// Bytes on USB OUT of a packet. The host makes the CCMP header, the device the MIC. src: linux@6.12 ath9k/htc_drv_main.c ath9k_htc_set_key
/// (IEEE80211_KEY_FLAG_GENERATE_IV); fw wlan/if_owl.c ath_key_setup
pub(super) const fn out_bytes(ip_len: u32, e: Encryption) -> u32 {
    (ip_len + e.header() as u32 + OUT_OVERHEAD).next_multiple_of(4)
}
/// Bytes on USB IN of a packet: as it came from the air (mac80211 takes header and MIC off, net/mac80211/wpa.c).
pub(super) const fn in_bytes(ip_len: u32, e: Encryption) -> u32 {
    (ip_len + e.bytes() as u32 + IN_OVERHEAD).next_multiple_of(4)
}

impl Params {
    /// The time `bytes` take on an otherwise idle bus, rounded up to a nanosecond.
    pub(super) const fn bus_time(&self, bytes: u32) -> Span {
        let per_microframe = self.bulk_packets as u64 * BULK_PACKET as u64;
        Span::from_ns((bytes as u64 * MICROFRAME.ns() as u64).div_ceil(per_microframe) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_frame_takes_a_quarter_of_a_microframe() {
        // 1500 + 60 = 1560 bytes; 13 * 512 = 6656 bytes in 125 us: 29.3 us.
        let out_bytes = |n| super::out_bytes(n, Encryption::None);
        let in_bytes = |n| super::in_bytes(n, Encryption::None);
        assert_eq!(out_bytes(1500), 1560);
        let with = Encryption::Ccmp;
        assert_eq!(
            [super::out_bytes(1500, with), super::in_bytes(52, with)],
            [1568, 160],
            "8 on the way out, 16 on the way in"
        );
        assert_eq!(Params::default().bus_time(1560), Span::from_ns(29_297));
        assert_eq!(in_bytes(52), 144);
    }

    #[test]
    fn twenty_full_frames_fit_one_request() {
        let p = Params::default();
        let out_bytes = |n| super::out_bytes(n, Encryption::Ccmp);
        let in_bytes = |n| super::in_bytes(n, Encryption::Ccmp);
        assert!(20 * out_bytes(1500) <= p.urb_bytes);
        assert!(10 * in_bytes(1500) <= p.upload_bytes, "an upload ends by its count, not by its bytes");
    }
}
