//! The socket through which a host's kernel answers echo requests: all that it answers share one send buffer.
//!
//! Stands for: linux@6.12 net/ipv4/icmp.c icmp_init, icmp_reply, icmp_push_reply.
//! Differs: D1 the kernel has one such socket for each CPU that receives; a host here receives on one.

use super::Echo;
use crate::sim::{Owner, Packet};

/// `sk_sndbuf`: two of the largest packets. src: icmp_init, 2 * SKB_TRUESIZE(64 * 1024), whose overhead is 256 + 320 bytes
const SNDBUF: u32 = 2 * (64 * 1024 + 256 + 320);

/// One host's.
#[derive(Clone, Copy, Debug)]
pub struct IcmpSocket {
    owner: Owner,
    charged: u32,
}

impl IcmpSocket {
    /// A socket that is charged as `owner`.
    pub const fn new(owner: Owner) -> IcmpSocket {
        IcmpSocket { owner, charged: 0 }
    }

    /// What answers `request`, as an skb of `truesize` bytes; nothing while the answers that are still in this host fill the send buffer
    /// (src: net/core/sock.c sock_alloc_send_pskb, with MSG_DONTWAIT).
    pub fn answer(&mut self, request: &Packet, truesize: u32) -> Option<Packet> {
        if self.charged >= SNDBUF {
            return None;
        }
        self.charged += truesize;
        Some(Packet { owner: self.owner, ..Echo::reply_to(request, truesize) })
    }

    /// An answer of `truesize` bytes has left, or was dropped.
    pub fn on_free(&mut self, truesize: u32) {
        self.charged -= truesize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn short_answers_that_wait() {
        let mut s = IcmpSocket::new(Owner(7));
        let asked = Packet::blank(Kind::EchoRequest, FlowId(0), NodeId(1), NodeId(2));
        let n = core::iter::from_fn(|| s.answer(&asked, 896)).inspect(|p| assert_eq!(p.owner, Owner(7))).count();
        assert_eq!(n, 148, "132,224 bytes: the last one may exceed them");
        s.on_free(896);
        assert!(s.answer(&asked, 896).is_some() && s.answer(&asked, 896).is_none());
    }
}
