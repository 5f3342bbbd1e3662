//! What an skb is charged: payload and the memory around it. TSQ, send buffers and queue limits count this, not payload.
//!
//! Stands for: Linux `SKB_TRUESIZE`, `tcp_stream_alloc_skb` (6.12 net/ipv4/tcp.c), `sk_stream_alloc_skb` and `select_size` (4.14),
//! `__alloc_skb` and `kmalloc_reserve` (net/core/skbuff.c), on a 64-bit machine with 64-byte cache lines and SLUB.
//! Differs: D1 `struct sk_buff` is taken as 256 bytes and `skb_shared_info` as 320, as every usual configuration rounds them; D2 what 4.14
//! (with GSO) and 4.19 put into the head of the first skb of an idle connection, up to 1472 bytes (`linear_payload_sz`; gone in 5.4), is charged
//! as pages.

use super::profile::Profile;

/// `SKB_DATA_ALIGN(sizeof(struct sk_buff))`, bytes.
const SK_BUFF: u32 = 256;
/// `SKB_DATA_ALIGN(sizeof(struct skb_shared_info))` with `MAX_SKB_FRAGS` 17, bytes.
const SHARED_INFO: u32 = 320;
/// Cache line, bytes.
const LINE: u32 = 64;
/// A pure ACK. src: linux@6.12 include/net/tcp.h skb_set_tcp_pure_ack
pub const PURE_ACK: u32 = 2;

const fn align(n: u32) -> u32 {
    n.div_ceil(LINE) * LINE
}

/// `kmalloc`'s bucket for `n` bytes.
const fn bucket(n: u32) -> u32 {
    if n <= 96 && n > 64 {
        96
    } else if n <= 192 && n > 128 {
        192
    } else {
        n.next_power_of_two()
    }
}

/// `MAX_TCP_HEADER`.
pub const fn max_tcp_header(max_header: u32) -> u32 {
    align(128 + max_header)
}

/// What `SKB_TRUESIZE(payload + MAX_TCP_HEADER)` has beside the payload, as kernels until 6.5 reckon a receive buffer.
pub const fn skb_overhead(profile: &Profile, max_header: u32) -> u32 {
    head_room(profile, max_header) + SK_BUFF + SHARED_INFO
}

/// `skb_end_offset` of an skb whose head was asked for with `size` bytes.
const fn end_offset(profile: &Profile, max_header: u32, size: u32) -> u32 {
    let asked = align(size) + SHARED_INFO;
    if profile.small_head_cache {
        // src: linux@6.12 net/core/skbuff.c SKB_SMALL_HEAD_CACHE_SIZE: room for MAX_TCP_HEADER or for what GRO pulls.
        let gro = max_header + 128 + LINE;
        let tcp = max_tcp_header(max_header);
        let small = align(if gro > tcp { gro } else { tcp }) + SHARED_INFO;
        let small = if small.is_power_of_two() { small + LINE } else { small };
        if asked <= small {
            return small - SHARED_INFO;
        }
    }
    bucket(asked) - SHARED_INFO
}

/// `alloc_skb(size)`.
pub const fn skb_truesize(profile: &Profile, max_header: u32, size: u32) -> u32 {
    end_offset(profile, max_header, size) + SK_BUFF + SHARED_INFO
}

/// `skb_tailroom` of `alloc_skb(size)` that holds `size` bytes.
pub const fn skb_tailroom(profile: &Profile, max_header: u32, size: u32) -> u32 {
    end_offset(profile, max_header, size) - size
}

/// Bytes that fit behind a packet of `len` bytes in the head that a tun device gives it. src: linux@6.12
/// drivers/net/tun.c tun_get_user and tun_alloc_skb (a headroom of NET_SKB_PAD); include/linux/skbuff.h skb_tailroom
pub const fn tun_room(profile: &Profile, max_header: u32, len: u32) -> u32 {
    let used = LINE + len;
    end_offset(profile, max_header, used) - used
}

/// A datagram of UDP with `payload` bytes, `on_air`: for a mac80211 device. src: linux@6.12 net/ipv4/ip_output.c __ip_append_data (alloclen and
/// hh_len + 15); include/linux/netdevice.h LL_RESERVED_SPACE, of 14 bytes and the 56 of net/mac80211/iface.c ieee80211_if_add (needed_headroom)
pub const fn datagram(profile: &Profile, max_header: u32, payload: u32, on_air: bool) -> u32 {
    let link = if on_air { 80 } else { 16 };
    skb_truesize(profile, max_header, payload + 28 + link + 15)
}

/// What a router's mac80211 device makes of skbs that a veth pair handed over as their sender allocated them: one piece, for it does not
/// gather. What is added to an skb that no socket is charged for grows it; what moves from pages into the head is not taken off.
/// src: linux@6.12 net/core/dev.c validate_xmit_skb; net/core/skbuff.c __pskb_pull_tail (128 bytes more than it needs), pskb_expand_head
#[derive(Clone, Copy, Debug)]
pub struct Linearised {
    /// The sender's kernel.
    pub profile: &'static Profile,
    /// Its `MAX_HEADER`.
    pub max_header: u32,
}

impl Linearised {
    /// A TCP segment of `payload` bytes in pages.
    pub const fn segment(&self, payload: u32) -> u32 {
        let Linearised { profile, max_header } = *self;
        let room = head_room(profile, max_header);
        let end = end_offset(profile, max_header, room);
        let pulled = if room + payload > end { room + payload + 128 } else { end };
        end_offset(profile, max_header, pulled) + SK_BUFF + SHARED_INFO + payload
    }
    /// A datagram of UDP with `payload` bytes: it is in one piece, and lacks room for what mac80211 puts before it (include/linux/skbuff.h
    /// skb_cow, in steps of NET_SKB_PAD).
    pub const fn datagram(&self, payload: u32) -> u32 {
        let Linearised { profile, max_header } = *self;
        let end = end_offset(profile, max_header, payload + 28 + 16 + 15);
        skb_truesize(profile, max_header, end + 64)
    }
}

/// Whether payload lies in pages. One segment an skb stands for GSO that is off, and before 4.17 TCP then copies payload into the head,
/// whatever the device gathers. src: linux@4.14 net/ipv4/tcp.c select_size
pub const fn in_pages(profile: &Profile, builds_gso: bool, gso_max_segs: u16) -> bool {
    builds_gso && (profile.gso_always || gso_max_segs > 1)
}

/// The costs of one socket's skbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SkbCost {
    /// An skb without payload.
    head: u32,
    /// Where payload is copied into the head (before 4.17 on a device without scatter-gather, or with GSO off): the whole of a full segment's skb.
    linear: Option<u32>,
}

impl SkbCost {
    /// The costs under `profile` for segments of `mss` bytes; `sg`: payload lies in pages, as TCP has it for scatter-gather and GSO.
    pub const fn new(profile: &Profile, max_header: u32, mss: u32, sg: bool) -> SkbCost {
        let mth = head_room(profile, max_header);
        let linear = skb_truesize(profile, max_header, mth + mss);
        SkbCost { head: skb_truesize(profile, max_header, mth), linear: if sg { None } else { Some(linear) } }
    }
    /// An skb with `payload` bytes.
    #[inline]
    pub const fn of(&self, payload: u32) -> u32 {
        match self.linear {
            Some(t) => t,
            None => self.head + payload,
        }
    }
    /// Payload lies in pages, so that it can move from skb to skb (`skb_can_shift`).
    pub const fn in_pages(&self) -> bool {
        self.linear.is_none()
    }
    /// `skbs` skbs with `bytes` of payload in all.
    #[inline]
    pub const fn queued(&self, bytes: u32, skbs: u32) -> u32 {
        match self.linear {
            Some(t) => t * skbs,
            None => bytes + self.head * skbs,
        }
    }
    /// An skb without payload (SYN, FIN).
    pub const fn control(&self) -> u32 {
        self.head
    }
}

/// What the send buffer reserves for a segment. src: linux@6.12 net/ipv4/tcp_input.c tcp_sndbuf_expand
pub const fn per_mss(max_header: u32, mss_clamp: u32) -> u32 {
    (mss_clamp + max_tcp_header(max_header) + SHARED_INFO).next_power_of_two() + SK_BUFF
}

/// Head room that TCP reserves for headers (`MAX_TCP_HEADER`, of whole cache lines from 5.7 on).
pub const fn head_room(profile: &Profile, max_header: u32) -> u32 {
    if profile.header_lines { max_tcp_header(max_header) } else { 128 + max_header }
}

/// A segment of `payload` bytes cut off a super-packet whose skb without payload is `head`. Where the device cannot gather, the payload
/// is copied behind as much `room` for headers as the super-packet has. src: linux@6.12 net/core/skbuff.c skb_segment
pub const fn cut(head: u32, payload: u32, room: Option<u32>) -> u32 {
    match room {
        None => head + payload,
        Some(room) => bucket(align(room + payload) + SHARED_INFO) + SK_BUFF,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::{V4_14, V4_19, V5_15_148, V6_12};

    #[test]
    fn headers_have_whole_cache_lines_from_5_7_on() {
        // A segment of 76 bytes counts 908 in the receive buffers that 5.15.148 tunes at a MAX_HEADER of 96 (111684 = 123 * 908).
        assert_eq!(76 + skb_overhead(&V5_15_148, 96), 908);
        assert_eq!(76 + skb_overhead(&V4_19, 96), 876);
    }

    #[test]
    fn before_4_17_a_segment_that_no_gso_builds_lies_in_its_head() {
        let charged = |profile, sg, segs| SkbCost::new(profile, 80, 1448, in_pages(profile, sg, segs)).of(1448);
        assert_eq!(charged(&V4_14, true, 1), 2304, "as a wired 4.14.67 with its offloads off has it");
        assert_eq!(charged(&V4_14, true, u16::MAX), 2728);
        assert_eq!(charged(&V4_14, false, 1), 2304);
        assert_eq!(charged(&V4_19, true, 1), 2728);
    }

    #[test]
    fn what_kernels_charge_for_1448_bytes() {
        // 6.12 in the reference (MAX_HEADER 80): 320 of head room, 576 of structures, 1448 in a page.
        assert_eq!(SkbCost::new(&V6_12, 80, 1448, true).of(1448), 2344);
        // 6.12 as distributions build it: GRO's 368 decide the head, 384.
        assert_eq!(SkbCost::new(&V6_12, 176, 1448, true).of(1448), 2408);
        // 4.19: 304 of headers and 320 of shared info make a 1024-byte bucket.
        assert_eq!(SkbCost::new(&V4_19, 176, 1448, true).of(1448), 2728);
        // 4.14 without scatter-gather or GSO: 1752 -> 1792 + 320 = 2112, a 4096-byte bucket, and struct sk_buff.
        assert_eq!(SkbCost::new(&V4_14, 176, 1448, false).of(1448), 4352);
        // ... and 2304, the number of the old TSQ discussions, where MAX_HEADER is small.
        assert_eq!(SkbCost::new(&V4_14, 80, 1448, false).of(1448), 2304);
    }

    #[test]
    fn what_datagrams_cost() {
        // 200 + 123 -> 384 + 320 is more than the 640 of the small heads: a 1024-byte bucket. A full frame takes the next one.
        assert_eq!(datagram(&V6_12, 96, 200, true), 1280);
        assert_eq!(datagram(&V6_12, 96, 1470, true), 2304);
        // 100 + 123 -> 256 + 320 is not.
        assert_eq!(datagram(&V6_12, 96, 100, true), 896);
        assert_eq!(datagram(&V4_14, 96, 100, false), 768, "there were none then: 192 + 320 is 512 to the byte");
    }

    #[test]
    fn what_a_router_makes_of_them_for_a_device_that_does_not_gather() {
        // As the kernel's own memory counter has it (debugfs, aqm), divided by the packets in its queues.
        let by = Linearised { profile: &V6_12, max_header: 96 };
        assert_eq!(by.segment(1448), 5800, "1832 -> 1856 + 320, a 4096-byte bucket, and the pages still count");
        assert_eq!(by.datagram(1470), 4352);
        assert_eq!(by.segment(32), 896 + 32, "it fits behind the headers");
    }

    #[test]
    fn what_a_segment_costs_that_was_cut_off() {
        let head = SkbCost::new(&V6_12, 96, 1448, true).of(0);
        assert_eq!(head, 896, "320 of head, GRO's 288 by cache lines, and 576 of structures");
        assert_eq!(cut(head, 1448, None), 2344);
        // TCP reserved 256 of these 320: 1704 -> 1728 + 320 is 2048 to the byte, and not a byte more.
        assert_eq!(cut(head, 1448, Some(head_room(&V6_12, 96))), 2304);
        assert_eq!(cut(960, 1448, Some(head_room(&V6_12, 176))), 4352, "320 + 1448 -> 1792 + 320");
    }
}
