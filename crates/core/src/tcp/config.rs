//! What a socket is told: `[tcp]` of a scenario ([`Params`]) and who it is ([`Config`]).
//!
//! Stands for: Linux's `net.ipv4.tcp_*` sysctls and the socket options of the tests' applications.

use super::cc::{Cc, Tunables};
use super::profile::Profile;
use crate::sim::{Auto, Bytes, FlowId, NodeId, Owner, Span};

/// Least receive buffer that a program gets, however little it asks for: 2048 bytes and a `struct sk_buff`. `tcp_rmem` may be a byte on
/// the kernel, with which no segment ever fits; here it is the same least.
/// src: linux@6.12 include/net/sock.h SOCK_MIN_RCVBUF, net/core/sock.c __sock_set_rcvbuf
pub const MIN_RCVBUF: Bytes = Bytes::new(2_304);
/// Least of `tcp_wmem`. src: linux@6.12 net/ipv4/sysctl_net_ipv4.c: extra1 = SYSCTL_ONE
const MIN_WMEM: Bytes = Bytes::new(1);
/// What an `int` of the kernel holds, as which it has its buffers and this limit.
const INT_MAX: Bytes = Bytes::new(i32::MAX as u64);

crate::choices! {
    /// How TCP Small Queues limits what a socket has below it.
    pub enum Tsq {
        /// As the kernel profile does: pacing rate >> pacing shift, two skbs at least, `tcp_limit_output_bytes` at most.
        Kernel = "kernel",
        /// CoTSQ: min(`tsq_bytes`, max(`tsq_ms` x (pacing rate >> 10), `tsq_pkts` x truesize)).
        Cotsq = "cotsq",
        /// `tsq_pkts` full segments' truesize, whatever the rate.
        Packets = "packets",
        /// `tsq_bytes` of truesize, whatever the rate.
        Bytes = "bytes",
        /// No limit.
        Off = "off",
    }
}

crate::params! {
    /// `[tcp]`.
    pub struct Params {
        /// Congestion control.
        cc: Cc = Cc::Cubic, src "linux@6.12 net/ipv4/Kconfig DEFAULT_TCP_CONG";
        /// TCP Small Queues.
        tsq: Tsq = Tsq::Kernel, src "linux@6.12 net/ipv4/tcp_output.c tcp_small_queue_check";
        /// Upper bound of the small queue (CoTSQ; static bytes). "off": no TSQ (a negative value in the paper).
        tsq_bytes: Option<Bytes> = Some(Bytes::new(10_000_000)), in Some(Bytes::new(0)) => Some(INT_MAX), src "cotsq section III";
        /// CoTSQ: milliseconds of data at the flow's present rate.
        tsq_ms: u32 = 6, in 0 => 100_000, unit "ms", src "cotsq section III";
        /// CoTSQ: lower bound of the small queue, in segments. Static: the small queue, in segments.
        tsq_pkts: u32 = 1, in 0 => 100_000, unit "segments", src "cotsq section III";
        /// `sk_pacing_shift`: log2 of the part of a second that TSQ and GSO sizing look ahead. A mac80211 device rewrites it.
        pacing_shift: u8 = 10, in 0 => 32, src "linux@6.12 net/core/sock.c sock_init_data_uid";
        /// `tcp_limit_output_bytes`.
        limit_output_bytes: Auto<Bytes> = Auto::Auto, in Auto::Set(Bytes::new(0)) => Auto::Set(INT_MAX), src "linux net/ipv4/tcp_ipv4.c tcp_sk_init; by profile";
        /// `tcp_pacing_ss_ratio`, percent. 3.10 and 3.18 have none: 200 there, whatever this says.
        pacing_ss_ratio: u32 = 200, in 1 => 1_000, unit "%", src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// `tcp_pacing_ca_ratio`, percent. 3.10 and 3.18 have none: 200 there, whatever this says.
        pacing_ca_ratio: u32 = 120, in 1 => 1_000, unit "%", src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// Whether the pacing ratios, and `bbr-plus.pace`, are the far host's too (the server, behind the AP or router); else it has the kernel's.
        pacing_at_server: bool = true, src "this project; Hard Times section VI-E varies the uploads' alone";
        /// Whether a timer of the socket enforces the pacing rate (`SK_PACING_NEEDED`), as for BBR.
        enforce_pacing: bool = false, src "linux@6.12 net/ipv4/tcp_output.c tcp_pacing_check";
        /// `gso_max_segs` of the device: 1 gives one segment an skb.
        gso_max_segs: Auto<u16> = Auto::Auto, unit "segments", src "linux include/linux/netdevice.h GSO_MAX_SEGS; by profile";
        /// Kernels from 4.17 on build GSO skbs whatever the device says. Off: they do not, as before 4.17; on a device without
        /// scatter-gather each skb then is one segment, with its payload in its head.
        gso_forced: bool = true, src "linux net/ipv4/tcp.c tcp_init_sock (0a6b2a1dc2a2, 74d4a8f8d378)";
        /// `gso_max_size` of the device.
        gso_max_size: u32 = 65_536, in 1_514 => 524_280, unit "bytes", src "linux@6.12 include/linux/netdevice.h GSO_LEGACY_MAX_SIZE";
        /// `tcp_min_tso_segs`.
        min_tso_segs: u32 = 2, in 1 => 65_535, unit "segments", src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// `tcp_tso_rtt_log`: GSO skbs grow by `gso_max_size`, halved with every 2^this microseconds of the least RTT; 0: not at all. `auto`:
        /// 9 from 5.18 on, 0 before. BBR v2 and v3 size theirs by themselves.
        tso_rtt_log: Auto<u8> = Auto::Auto, in Auto::Set(0) => Auto::Set(31), src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// `tcp_tso_win_divisor`: part of the window that is enough to send a GSO skb at once.
        tso_win_divisor: u32 = 3, in 1 => 1_000, src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// Initial congestion window, segments.
        init_cwnd: u32 = 10, in 1 => 1_000, unit "segments", src "linux@6.12 include/net/tcp.h TCP_INIT_CWND";
        /// Slow start threshold that the cache of metrics has for the peer from earlier connections, segments; off: none, as on a first one.
        ssthresh: Option<u32> = None, in Some(2) => Some(1_000_000), unit "segments", src "linux@6.12 net/ipv4/tcp_metrics.c tcp_init_metrics";
        /// `tcp_reordering`, segments.
        reordering: u32 = 3, in 1 => 300, unit "segments", src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// `tcp_slow_start_after_idle`.
        slow_start_after_idle: bool = true, src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// `tcp_frto`.
        frto: bool = true, src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// Tail loss probes (`tcp_early_retrans` 3).
        tlp: bool = true, src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// Asks for ECN (`tcp_ecn` 1). Off, it is accepted but not asked for (`tcp_ecn` 2).
        ecn: bool = false, src "linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init";
        /// Smallest retransmission timeout.
        rto_min: Span = Span::from_ms(200), in Span::from_ms(1) => Span::from_s(120), src "linux@6.12 include/net/tcp.h TCP_RTO_MIN";
        /// `tcp_wmem[1]`: send buffer at the start.
        wmem_default: Bytes = Bytes::from_kib(16), in MIN_WMEM => INT_MAX, src "linux@6.12 net/ipv4/tcp.c tcp_init";
        /// `tcp_wmem[2]`: what the send buffer may grow to.
        wmem_max: Bytes = Bytes::from_mib(4), in MIN_WMEM => INT_MAX, src "linux@6.12 net/ipv4/tcp.c tcp_init";
        /// `tcp_rmem[1]`: receive buffer at the start.
        rmem_default: Auto<Bytes> = Auto::Auto, in Auto::Set(MIN_RCVBUF) => Auto::Set(INT_MAX), src "linux net/ipv4/tcp.c tcp_init; 128 KiB from 4.20 (a337531b942b), 87380 before";
        /// `tcp_rmem[2]`: what the receive buffer may grow to.
        rmem_max: Bytes = Bytes::from_mib(6), in MIN_RCVBUF => INT_MAX, src "linux@6.12 net/ipv4/tcp.c tcp_init";
        /// `SO_RCVBUF`, which the kernel doubles and then does not tune.
        rcvbuf: Option<Bytes> = None, in Some(Bytes::new(0)) => Some(INT_MAX), src "linux@6.12 net/core/sock.c __sock_set_rcvbuf";
        /// `SO_RCVLOWAT`: unread bytes that wake the reader.
        rcvlowat: Bytes = Bytes::new(1), in Bytes::new(0) => INT_MAX, src "linux@6.12 net/ipv4/tcp.c tcp_data_ready";
        /// The receiver acknowledges every eighth segment of a stream, as macOS does; else every second.
        stretch_acks: bool = false, src "xnu bsd/netinet/tcp_cc.c tcp_cc_delay_ack";
        /// Memory that the receiver's driver charges for a full frame; an access point's wired card's, too, so that it counts in its queues.
        rx_truesize: Bytes = Bytes::new(2_304), in Bytes::new(256) => Bytes::from_mib(1), src "a 2048-byte buffer and struct sk_buff; linux@6.12 net/core/skbuff.c build_skb";
        /// Full frames that the driver's buffer has room for: those that follow are put into it, and cost nothing. Page fragments are handed
        /// on instead, each with its memory: one.
        rx_per_buffer: u32 = 1, in 1 => 64, src "linux@6.12 net/core/skbuff.c skb_try_coalesce, skb_tailroom";
        /// Frames lie in pages, as a veth pair hands over what its sender wrote: each is charged its own payload and what `rx_truesize` has beside
        /// a full frame's, and one that is put behind another its payload alone.
        rx_pages: bool = false, src "linux@6.12 net/core/skbuff.c skb_try_coalesce: delta_truesize";
        /// `MAX_HEADER` of the kernel's configuration: 176 with mesh and tunnels, as distributions build it.
        max_header: u32 = 176, in 32 => 512, unit "bytes", src "linux@6.12 include/linux/netdevice.h LL_MAX_HEADER";
    }
}

/// Who a socket is and how it behaves.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The five-tuple.
    pub flow: FlowId,
    /// The node it is on.
    pub local: NodeId,
    /// The node it talks to.
    pub remote: NodeId,
    /// What its packets are charged to.
    pub owner: Owner,
    /// `[tcp]`.
    pub params: Params,
    /// `[tcp.<control>]`, of every congestion control.
    pub cc: Tunables,
    /// The kernel.
    pub profile: &'static Profile,
    /// Timer ticks a second (`CONFIG_HZ`).
    pub hz: u32,
    /// DSCP of its packets.
    pub dscp: u8,
    /// MTU of the device, bytes.
    pub mtu: u32,
    /// Whether the device takes scatter-gather and GSO skbs. Kernels before 4.17 then build them; later ones always do.
    pub tso: bool,
    /// Initial sequence number.
    pub start_seq: u32,
}
