//! Frames as bytes: radiotap, 802.11, LLC, IPv4, TCP, UDP and ICMP, and the pcapng file around them.
//!
//! Payload is zeros: lengths are the model's, checksums and the FCS hold for it.

mod amsdu;
mod beacon;
mod bytes;
pub(crate) mod he_field;
mod packet;
mod pcapng;
mod radiotap;

pub(crate) mod fields {
    //! Numbers that reading needs too.
    pub(crate) use super::radiotap::{AMPDU_IS_LAST, AMPDU_LAST_KNOWN, F_BAD_FCS, F_FCS, F_SHORT_PREAMBLE, field};
}

pub use bytes::{cuts, kept, mpdu};
pub use pcapng::{About, Pcapng};
pub use radiotap::radiotap;
