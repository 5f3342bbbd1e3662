//! Link encryption: what it adds to frames. Nothing is enciphered here; what counts is the air that it takes.
//!
//! Stands for: 802.11-2016 12.5.3.2 (a CCMP MPDU: 8 octets of CCMP header, 8 of MIC, the FCS behind them), 9.4.2.25 (the RSN
//! element); drivers/net/wireless/ath/ath9k/xmit.c ath_compute_num_delims and the AR9271's firmware (what their hardware
//! wants beside: [`EXTRA_DELIMITERS`]).
//! Differs: D1 keys are there from the start and never change (no four-way handshake, no rekeying); D2 broadcast has none of the
//! model's traffic, so there is no group key; D3 enciphering takes neither time nor CPU: all cards that are modelled do it in
//! hardware; D4 acknowledgements, requests for them and beacons are in the clear, as 802.11 has them (no management frame
//! protection), and so is what TCP/HACK puts behind an acknowledgement.

crate::choices! {
    /// What protects data frames.
    pub enum Encryption {
        /// Nothing: an open network.
        None = "none",
        /// WPA2's, AES in counter mode with CBC-MAC.
        Ccmp = "ccmp",
    }
}

/// Empty delimiters that hardware without EDMA wants behind each enciphered MPDU of an A-MPDU, beside those of its length.
/// src: linux@6.12 ath9k/ath9k.h ATH_AGGR_ENCRYPTDELIM; fw wlan/if_owl.c ath_tgt_tx_form_aggr (HAL_KEY_TYPE_AES)
pub const EXTRA_DELIMITERS: u32 = 10;

impl Encryption {
    /// Whether data frames are protected.
    pub const fn is_on(self) -> bool {
        matches!(self, Encryption::Ccmp)
    }
    /// Bytes between the MAC header and the payload. src: 802.11-2016 12.5.3.2; linux@6.12 IEEE80211_CCMP_HDR_LEN
    pub const fn header(self) -> u16 {
        if self.is_on() { 8 } else { 0 }
    }
    /// Bytes of the message integrity code, in front of the FCS. src: 802.11-2016 12.5.3.2; linux@6.12 IEEE80211_CCMP_MIC_LEN
    pub const fn mic(self) -> u16 {
        if self.is_on() { 8 } else { 0 }
    }
    /// Bytes that an MPDU is longer.
    pub const fn bytes(self) -> u16 {
        self.header() + self.mic()
    }
    /// Bytes that a beacon is longer: the RSN element of one pairwise suite and one of key management.
    /// src: 802.11-2016 9.4.2.25: id, length, version 2, group suite 4, two counts of 2, two suites of 4, capabilities 2
    pub const fn element(self) -> u32 {
        if self.is_on() { 22 } else { 0 }
    }
}
