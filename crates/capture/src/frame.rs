//! A frame of the air, as far as anything here looks at it. Small and Copy; it owns no bytes.

use crate::block_ack::BlockAck;
use crate::phy::Phy;
use wavetank_core::wifi::beacon::Told;

/// A MAC address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// The one that stands there; none: the bytes end before it does.
    pub fn at(bytes: &[u8], at: usize) -> Option<Mac> {
        Some(Mac(bytes.get(at..at + 6)?.try_into().expect("six bytes")))
    }
}

impl core::fmt::Display for Mac {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// A data frame with a body.
    Data,
    /// A data frame without one (null function).
    Null,
    /// Acknowledgement.
    Ack,
    /// Clear to send.
    Cts,
    /// Request to send.
    Rts,
    /// Block Ack.
    BlockAck,
    /// Compressed Block Ack request.
    Bar,
    /// Beacon.
    Beacon,
    /// Other management.
    Management,
    /// Any other.
    #[default]
    Other,
}

/// Which A-MPDU a frame was part of (radiotap's A-MPDU status).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subframe {
    /// The same for all MPDUs of one A-MPDU, another for the next.
    pub reference: u32,
    /// It is known to be the last.
    pub last: bool,
}

/// Which answer a data frame asks for. src: 802.11-2020 9.2.4.5.4
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AckPolicy {
    /// An ACK, or of an A-MPDU a Block Ack, SIFS behind it.
    #[default]
    Now,
    /// None.
    Never,
    /// One within what its receiver sends next (PSMP, or when it is triggered).
    Within,
    /// A Block Ack, when one is asked for.
    Later,
}

/// What is above IP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// TCP. Without the timestamp option, `ts` is none; SACK blocks count from the left.
    Tcp {
        /// Sequence number.
        seq: u32,
        /// Acknowledgement number.
        ack: u32,
        /// The flags' byte as on the wire.
        flags: u8,
        /// The window's field as on the wire.
        window: u16,
        /// TSval and TSecr.
        ts: Option<(u32, u32)>,
        /// SACK blocks; `sacks` of them.
        sack: [(u32, u32); 4],
        /// How many blocks.
        sacks: u8,
        /// Window scale, of a SYN.
        scale: Option<u8>,
    },
    /// UDP.
    Udp,
    /// ICMP echo request (true) or reply, identifier and number.
    Echo(bool, u16, u16),
    /// Something else: IP's protocol number.
    Other(u8),
}

/// An IP packet. IPv4 addresses are the last 32 bits of their IPv4-mapped IPv6 addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// From.
    pub src: u128,
    /// To.
    pub dst: u128,
    /// Ports, where there are such.
    pub ports: (u16, u16),
    /// DSCP and ECN (`tos`).
    pub tos: u8,
    /// Identification (IPv4).
    pub id: u16,
    /// Bytes above TCP, UDP or ICMP.
    pub payload: u32,
    /// What it carries.
    pub transport: Transport,
}

/// What is told of an A-MSDU as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amsdu {
    /// MSDUs that are told of.
    pub msdus: u16,
    /// Bytes of it that cannot be read: cut by the capture, encrypted, or behind a length that cannot be true.
    pub unread: u16,
}

/// An MSDU of an A-MSDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Msdu {
    /// Destination.
    pub da: Mac,
    /// Source.
    pub sa: Mac,
    /// Its bytes, LLC among them.
    pub len: u16,
    /// The packet inside.
    pub packet: Option<Packet>,
}

/// A frame. An A-MSDU's MSDUs stand beside it, in a slice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame {
    /// Which of a capture's interfaces heard it (0 where there is one).
    pub interface: u32,
    /// When it ended, or as the capture has it: ns.
    pub time: u64,
    /// The capture has no time of it (pcapng's Simple Packet Blocks): `time` is 0, and tells nothing.
    pub untimed: bool,
    /// Its TSFT: when its first bit came, us.
    pub tsft: Option<u64>,
    /// How it was modulated, if known.
    pub phy: Option<Phy>,
    /// How long its PPDU says that it is (L-SIG), where that is an HE one, us.
    pub l_sig_us: Option<u16>,
    /// Centre frequency of the channel, MHz; 0: unknown.
    pub mhz: u16,
    /// Signal at the antenna, dBm.
    pub signal: Option<i8>,
    /// Its check sequence did not hold: only its length and time can be trusted.
    pub bad: bool,
    /// Its A-MPDU.
    pub subframe: Option<Subframe>,
    /// Bytes from the first of the MAC header to the last of the FCS.
    pub len: u32,
    /// What it is.
    pub kind: Kind,
    /// Sent again.
    pub retry: bool,
    /// Encrypted: what is inside cannot be read.
    pub protected: bool,
    /// To (false) or from (true) the distribution system; none: neither or both.
    pub from_ds: Option<bool>,
    /// Receiver's address.
    pub ra: Mac,
    /// Transmitter's address, where the frame has one.
    pub ta: Option<Mac>,
    /// The third address of a data frame.
    pub far: Mac,
    /// Microseconds that its Duration field reserves.
    pub nav: u16,
    /// Traffic identifier, of QoS data and compressed Block Acks.
    pub tid: Option<u8>,
    /// Which answer it asks for.
    pub policy: AckPolicy,
    /// Sequence number; of a Block Ack (request) the starting one.
    pub seq: u16,
    /// What a Block Ack says.
    pub block_ack: BlockAck,
    /// The packet inside; none of an A-MSDU.
    pub packet: Option<Packet>,
    /// It is an A-MSDU.
    pub amsdu: Option<Amsdu>,
    /// The capture cut it before its headers end, up to TCP's time stamps; of an A-MSDU the first MSDU's.
    pub cut: bool,
    /// What a beacon of ours tells.
    pub told: Option<Told>,
}

impl Frame {
    /// Nothing known of it.
    pub const EMPTY: Frame = Frame {
        interface: 0,
        time: 0,
        untimed: false,
        tsft: None,
        phy: None,
        l_sig_us: None,
        mhz: 0,
        signal: None,
        bad: false,
        subframe: None,
        len: 0,
        kind: Kind::Other,
        retry: false,
        protected: false,
        from_ds: None,
        ra: Mac([0; 6]),
        ta: None,
        far: Mac([0; 6]),
        nav: 0,
        tid: None,
        policy: AckPolicy::Now,
        seq: 0,
        block_ack: BlockAck::EMPTY,
        packet: None,
        amsdu: None,
        cut: false,
        told: None,
    };
}

/// TCP flags as on the wire.
pub mod tcp {
    /// No more data.
    pub const FIN: u8 = 0x01;
    /// Opens.
    pub const SYN: u8 = 0x02;
    /// Pushes.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number counts.
    pub const ACK: u8 = 0x10;
    /// ECN echo.
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced.
    pub const CWR: u8 = 0x80;
}
