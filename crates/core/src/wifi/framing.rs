//! What stands around the payload of a data frame: MAC header, what encryption adds, LLC and SNAP, the check sequence.
//!
//! Stands for: 802.11-2020 9.3.2.1 (data frames), 12.5.3.2 (a CCMP MPDU); RFC 1042 (IP over LLC and SNAP).

use super::encryption::Encryption;

/// QoS data header: frame control, duration, three addresses, sequence control, QoS control.
pub const QOS_HEADER: u16 = 26;
/// Data header without QoS control.
pub const PLAIN_HEADER: u16 = 24;
/// LLC and SNAP in front of the IP packet.
pub const LLC_SNAP: u16 = 8;
/// Frame check sequence.
pub const FCS: u16 = 4;

/// Bytes of the MPDU of an open network that carries an IP packet of `ip_len` bytes, with or without QoS control.
pub const fn mpdu_len(ip_len: u32, qos: bool) -> u16 {
    Framing::open(qos).mpdu_len(ip_len)
}

/// What stands around the payload of a BSS's data frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Framing {
    /// There is a QoS control field.
    pub qos: bool,
    /// What protects it.
    pub encryption: Encryption,
}

impl Framing {
    /// Of an open network.
    pub const fn open(qos: bool) -> Framing {
        Framing { qos, encryption: Encryption::None }
    }
    /// Bytes in front of the IP packet, with the CCMP header.
    pub const fn header(self) -> u16 {
        LLC_SNAP + self.encryption.header() + if self.qos { QOS_HEADER } else { PLAIN_HEADER }
    }
    /// Bytes of the MPDU that carries an IP packet of `ip_len` bytes.
    pub const fn mpdu_len(self, ip_len: u32) -> u16 {
        self.around(ip_len as u16 + LLC_SNAP)
    }
    /// Bytes of the MPDU whose frame body has `body` bytes before it is enciphered.
    pub const fn around(self, body: u16) -> u16 {
        body + FCS + self.encryption.bytes() + if self.qos { QOS_HEADER } else { PLAIN_HEADER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the standard's figure: header 26, CCMP header 8, LLC 8, 1500, MIC 8, FCS 4.
    #[test]
    fn an_mpdu_by_hand() {
        let of = |qos, encryption| Framing { qos, encryption }.mpdu_len(1_500);
        assert_eq!(of(true, Encryption::Ccmp), 26 + 8 + 8 + 1_500 + 8 + 4);
        assert_eq!(of(false, Encryption::Ccmp), 1_552);
        assert_eq!([of(true, Encryption::None), of(false, Encryption::None)], [1_538, 1_536]);
        let header = |encryption| Framing { qos: true, encryption }.header();
        assert_eq!([header(Encryption::None), header(Encryption::Ccmp)], [34, 42]);
    }
}
