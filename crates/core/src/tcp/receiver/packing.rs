//! How the receive queue is packed, as far as [`collapse`](super::collapse) must know it.

/// Payload and memory of the last skb, the memory of those before it, and from where on the queue is worth collapsing.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Packing {
    /// Bytes of the last skb.
    pub(super) len: u32,
    /// Its truesize.
    pub(super) mem: u32,
    /// Truesize of all before it.
    pub(super) before: u32,
    /// The first skb with more memory than payload: its first sequence number, and the memory of those before it.
    pub(super) wasted: Option<(u32, u32)>,
}
