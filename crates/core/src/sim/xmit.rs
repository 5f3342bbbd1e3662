//! What a layer answers when it is handed a packet: `NET_XMIT_SUCCESS`, `NET_XMIT_CN`, `NET_XMIT_DROP`.

use super::packet::{NodeId, Owner, Packet};
use super::time::Time;

/// The answer. src: linux@6.12 include/linux/netdevice.h
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Taken (or dropped silently, as mac80211 does).
    Ok,
    /// Taken, but another packet of the flow was dropped: congestion.
    Cn,
    /// This packet was dropped.
    Drop,
}

/// The layer below a socket. The call is synchronous, as `ip_queue_xmit` is; what the packet's memory is freed by comes
/// back later.
pub trait Lower {
    /// Hands `p` down.
    fn xmit(&mut self, now: Time, p: &Packet) -> Verdict;
    /// What the super-packet that was handed down last weighs, if it was cut into its segments within that call.
    fn weighs(&mut self) -> Option<u32> {
        None
    }
    /// The rate of the socket `owner` on its way to `dst`, bytes a second, where what stands below paces by it (an `fq` before 4.20).
    fn paced(&mut self, _owner: Owner, _dst: NodeId, _rate: u64) {}
    /// Truesize of the sender's that was freed within that call: what was refused, dropped to make room for it, or let
    /// go of (`skb_orphan`, as a tun device does).
    fn freed(&mut self) -> u32 {
        0
    }
}
