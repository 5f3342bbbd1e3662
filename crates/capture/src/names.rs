//! The addresses that a run's nodes have in its captures: locally administered MACs, private IPv4 addresses, ports by flow.

use crate::frame::Mac;
use wavetank_core::net::{Census, Conversation};
use wavetank_core::sim::NodeId;
use wavetank_core::wifi::Encryption;

/// Who has which address.
#[derive(Clone, Debug)]
pub struct Names {
    census: Census,
    /// Of each node, where they are not the model's.
    ips: Option<Vec<u32>>,
}

impl Names {
    /// Of a run's nodes and flows.
    pub fn new(census: Census) -> Names {
        Names { census, ips: None }
    }
    /// With these IPv4 addresses, in the order of the nodes.
    pub fn with_ips(self, ips: Vec<u32>) -> Names {
        Names { ips: Some(ips), ..self }
    }
    /// The MAC address of a node: 02:77:74 ("wt") and its number.
    pub fn mac(node: NodeId) -> Mac {
        let [a, b] = node.0.to_be_bytes();
        Mac([0x02, 0x77, 0x74, 0, a, b])
    }
    /// The IPv4 address of a node: 10.0.0.1 and so on, the access point's first.
    pub fn ip(node: NodeId) -> u128 {
        0xffff_0a00_0000 + u128::from(node.0) + 1
    }
    /// The IPv4 address of a node as it is in frames; none: it is not known.
    pub fn address(&self, node: NodeId) -> Option<u32> {
        match &self.ips {
            Some(all) => all.get(usize::from(node.0)).copied(),
            None => Some(Names::ip(node) as u32),
        }
    }
    /// All nodes: number, name, whether on the air.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &str, bool)> {
        self.census.parties.iter().enumerate().map(|(i, p)| (NodeId(i as u16), p.name.as_str(), p.on_air))
    }
    /// What protects data frames on the air.
    pub fn encryption(&self) -> Encryption {
        self.census.encryption
    }
    /// The conversation of a flow.
    pub fn conversation(&self, flow: u16) -> Option<&Conversation> {
        self.census.conversations.get(usize::from(flow))
    }
    /// The ports of a flow: whoever opened it, and the other.
    pub fn ports(flow: u16) -> (u16, u16) {
        (33_000 + flow % 16_000, 49_200 + flow % 16_000)
    }
}
