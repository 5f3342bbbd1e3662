//! Who is there and who talks to whom: what names and addresses in captures and pictures are made from.

use crate::sim::NodeId;
use crate::wifi::Encryption;

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Party {
    /// Its name.
    pub name: String,
    /// Whether it has a radio.
    pub on_air: bool,
}

/// A flow, as far as its packets' headers do not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversation {
    /// TCP: who connects and who listens, and by how many bits each one's windows are scaled.
    Tcp {
        /// Connects.
        client: NodeId,
        /// Listens.
        server: NodeId,
        /// The client's window scale.
        client_scale: u8,
        /// The server's.
        server_scale: u8,
    },
    /// A flood of datagrams.
    Udp,
    /// ICMP echoes.
    Ping,
    /// Echoes by UDP.
    UdpEcho,
}

/// All nodes by number, and all flows by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    /// The nodes.
    pub parties: Vec<Party>,
    /// The flows.
    pub conversations: Vec<Conversation>,
    /// What protects the data frames of the Wi-Fi network, if there is one.
    pub encryption: Encryption,
}
