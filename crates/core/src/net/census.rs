//! Who is there and who talks to whom: what names and addresses in captures and pictures are made from.

use super::world::{Ends, World};
use crate::sim::{NodeId, Probe, Time};

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
}

impl<T: Probe> World<T> {
    /// The window of judgement.
    pub fn window(&self) -> (Time, Time) {
        self.observer.judged()
    }
    /// Who is there.
    pub fn census(&self) -> Census {
        let conversation = |e: &Ends| match *e {
            Ends::Tcp { client, server, .. } => {
                let (c, s) = (&self.socks[usize::from(client)], &self.socks[usize::from(server)]);
                Conversation::Tcp {
                    client: c.node,
                    server: s.node,
                    client_scale: c.socket.scale_to_come(),
                    server_scale: s.socket.scale_to_come(),
                }
            }
            Ends::Udp(_) => Conversation::Udp,
            Ends::Echo(i) if self.observer.echo_name(i).starts_with("icmp") => Conversation::Ping,
            Ends::Echo(_) => Conversation::UdpEcho,
        };
        Census { parties: self.observer.parties(), conversations: self.flows.iter().map(conversation).collect() }
    }
}
