//! The sections that belong to a run as a whole rather than to an algorithm.

use super::each::{Each, Stations};
use crate::phy::Gi;
use crate::sim::{Auto, Bytes, Dscp, Rate, Series, Span};
use crate::{choices, params};

choices! {
    /// Which Linux the hosts run: a table of documented differences.
    pub enum Kernel {
        /// The sender's of the measured ath9k access point.
        V3_10 = "3.10",
        /// The thesis's.
        V3_18 = "3.18",
        /// CoTSQ's.
        V4_14 = "4.14",
        /// BBRp's.
        V4_19 = "4.19",
        /// Hard Times'.
        V5_4 = "5.4",
        /// TSQ/TP's.
        V5_10 = "5.10",
        /// The stable release of it of 2026.
        V5_10_262 = "5.10.262",
        /// OpenWrt 23.05's series, its stable release of January 2024.
        V5_15_148 = "5.15.148",
        /// Debian 12's, its stable release of 2026.
        V6_1_192 = "6.1.192",
        /// OpenWrt 24.10's series, its stable release of March 2026.
        V6_6_129 = "6.6.129",
        /// Today's, and the reference traces'.
        V6_12 = "6.12",
    }
}

impl Kernel {
    /// Its series: below TCP a difference is told by the version that it came with; stable releases of one series are told apart by `cake` alone.
    pub fn series(self) -> Series {
        let mut numbers = self.name().split('.').map_while(|n| n.parse().ok());
        numbers.next().zip(numbers.next()).expect("a kernel is named by its version")
    }
    /// Its stable release, where it is named by one: 262 of "5.10.262".
    pub fn stable(self) -> Option<u16> {
        self.name().split('.').nth(2).and_then(|n| n.parse().ok())
    }
}

choices! {
    /// The shape of the network.
    pub enum Topology {
        /// C - R - S over Ethernet.
        Wired = "wired",
        /// Stations - AP - server.
        Wifi = "wifi",
    }
}

choices! {
    /// Where the wired bottleneck is.
    pub enum Where {
        /// On the sender's own interface.
        Local = "local",
        /// On the router's.
        Remote = "remote",
    }
}

choices! {
    /// What shapes the wired bottleneck.
    pub enum Shaper {
        /// A token bucket with a discipline below.
        Htb = "htb",
        /// CAKE alone.
        Cake = "cake",
    }
}

choices! {
    /// Which ends of a wire.
    pub enum WireEnds {
        /// Both.
        Both = "both",
        /// The access point's.
        Ap = "ap",
        /// The server's.
        Server = "server",
    }
}

params! {
    /// When things happen. A run is lead-in, flows, tail; pings go on through all of it.
    pub struct TimePlan {
        /// Pings only, before the flows.
        lead_in: Span = Span::from_s(5), in Span::ZERO => Span::from_s(3600), src "Flent's DELAY";
        /// The flows' time.
        flows: Span = Span::from_s(60), in Span::from_ms(1) => Span::from_s(100_000), src "CoTSQ section IV";
        /// Pings only, after the flows.
        tail: Span = Span::from_s(5), in Span::ZERO => Span::from_s(3600), src "Flent's DELAY";
        /// From the flows' start to the start of the window in which figures are taken.
        warmup: Span = Span::from_s(2), in Span::ZERO => Span::from_s(3600), src "judging rules of this project";
        /// From the end of that window to the flows' end: with as much as the warm-up the window is the middle.
        cooldown: Span = Span::ZERO, in Span::ZERO => Span::from_s(3600), src "judging rules of this project";
        /// Step of the sampled series.
        sample: Span = Span::from_ms(200), in Span::from_ms(1) => Span::from_s(3600), src "Flent's step";
    }
}

params! {
    /// The network's shape.
    pub struct Shape {
        /// Wired (C - R - S) or Wi-Fi (stations - AP - server): a file has to say which. On the wired way back no rate bounds what comes down,
        /// its windows alone.
        kind: Topology = Topology::Wifi, src "this project";
    }
}

params! {
    /// The wired path C - R - S, as the kernel reference has it: an HTB on C's and on R's interface, one of which is the
    /// bottleneck. The bottleneck's rate, leaf and depths are `[htb]`'s, or all of it is `[cake]`'s; the returning path's delay is `[netem]`'s.
    pub struct Bottleneck {
        /// What shapes it: `htb`, by `htb.rate`, or `cake`, by `cake.bandwidth`.
        qdisc: Shaper = Shaper::Htb, src "kernel reference";
        /// On the sender's own interface (`local`) or on the router's (`remote`).
        place: Where = Where::Remote, src "kernel reference: where";
        /// Rate of the HTB that is not the bottleneck; its leaf is a pfifo of 1000 packets.
        access_rate: Rate = Rate::from_mbit(1000), in Rate::from_kbit(8) => Rate::from_mbit(100_000), src "kernel reference";
    }
}

params! {
    /// The wired network behind the AP.
    pub struct Backhaul {
        /// Whether there is one; without it the flows end at the AP itself.
        present: bool = true, src "CoTSQ figure 2; its ath9k runs went between AP and client";
        /// The queueing discipline on its Ethernet.
        qdisc: crate::qdisc::Kind = crate::qdisc::Kind::PfifoFast, src "linux@6.12 net/sched/sch_generic.c attach_default_qdiscs";
        /// Which of its ends have that; the other has pfifo_fast.
        at: WireEnds = WireEnds::Both, src "linux@6.12 net/sched/sch_generic.c attach_default_qdiscs: a discipline is one device's";
        /// Propagation delay of one direction, switches included.
        delay: Span = Span::from_us(5), in Span::ZERO => Span::from_s(10), src "a few store-and-forward hops of Gigabit Ethernet";
        /// A veth pair in its place, as the second water has: no rate, no card; `delay` is netem's, which orphans packets.
        veth: bool = false, src "linux@6.12 drivers/net/veth.c";
    }
}

params! {
    /// Who sends what: the shapes of Flent's tests.
    pub struct Traffic {
        /// TCP uploads a station; auto: four in RRUL, none beside other flows, else one.
        tcp_up: Auto<u16> = Auto::Auto, in Auto::Set(0) => Auto::Set(256), src "Flent tcp_nup, rrul.conf";
        /// TCP downloads a station; auto: four in RRUL, else none.
        tcp_down: Auto<u16> = Auto::Auto, in Auto::Set(0) => Auto::Set(256), src "Flent tcp_ndown, rrul.conf";
        /// Congestion controls of a station's TCP flows each way, in turn: `["cubic", "bbr"]` is cubic for the first, bbr for the second, cubic
        /// for the third.
        cc: Each<crate::tcp::cc::Cc> = Each::NONE, src "Flent cubic_bbr.conf, and cc_algos of its stream configuration; default: tcp.cc";
        /// How much farther away the servers of a station's TCP flows each way are, in turn: `["0 ms", "40 ms"]` adds 40 ms to the base round
        /// trip of the second, the fourth and so on. What the server sends waits so long first, in a way of its flow's own.
        tcp_delay: Each<Span> = Each::NONE, src "Flent rtt_fair.conf: flows to hosts at different distances";
        /// Offered UDP load up, a station.
        udp_up: Option<Rate> = None, src "iperf -u";
        /// Offered UDP load down, a station.
        udp_down: Option<Rate> = None, src "iperf -u";
        /// Bytes of payload a UDP datagram.
        udp_payload: u16 = 1470, in 1 => 1472, unit "bytes", src "iperf's default";
        /// Send buffer of a UDP flood's socket (`net.core.wmem_default`, or what the program sets).
        udp_sndbuf: Bytes = Bytes::new(212_992), in Bytes::from_kib(4) => Bytes::from_mib(64), src "linux@6.12 include/net/sock.h SK_WMEM_MAX";
        /// Step of the ping; off: none.
        ping: Option<Span> = Some(Span::from_ms(200)), in Some(Span::from_us(10)) => Some(Span::from_s(3600)), src "Flent's STEP_SIZE";
        /// Payload of an echo.
        ping_payload: u16 = 56, in 8 => 1472, unit "bytes", src "iputils ping";
        /// The ping is a UDP echo, which a program answers once the softirq that brought it is through with all that came with it, not an ICMP
        /// echo, which the kernel answers in its place.
        ping_udp: bool = false, src "netperf UDP_RR, irtt";
        /// Stations that send echoes: the first so many.
        ping_stations: u16 = 255, in 0 => 255, src "Flent pings from every client it runs on";
        /// RRUL's own UDP echoes, beside the ping.
        rrul_echoes: bool = true, src "Flent rrul.conf";
        /// Flent's RRUL: its UDP echoes beside the ping, and its marks on the flows (see `marks`).
        rrul: bool = false, src "Flent rrul.conf";
        /// Spread RRUL's flows and echoes over CS0, CS1, CS5, EF; without, all are best effort (Flent's `rrul_be`).
        marks: bool = true, src "Flent rrul.conf, rrul_be.conf";
        /// A marked flow's ACKs bear its mark, as where both ends set it (netperf -Y); without, they are best effort.
        mark_acks: bool = true, src "netperf's option -Y sets IP_TOS at both ends";
        /// Mark of TCP's packets where RRUL's marks are not (`mark_acks` is for its ACKs, too). The mark decides the access category,
        /// by RFC 8325 where the kernel is 6.12 (from 6.8 on), by its upper three bits where it is older.
        tcp_dscp: Dscp = Dscp::default(), src "linux@6.12 net/wireless/util.c cfg80211_classify8021d";
        /// Mark of the UDP load's datagrams: its category is RFC 8325's under 6.12, that of its upper three bits under older kernels.
        udp_dscp: Dscp = Dscp::default(), src "linux@6.12 net/wireless/util.c cfg80211_classify8021d";
        /// Mark of the pings: its category is RFC 8325's under 6.12, that of its upper three bits under older kernels.
        ping_dscp: Dscp = Dscp::default(), src "iputils ping -Q";
        /// Each flow starts at a time of its own, uniform over this span, and so does each series of echoes after the first:
        /// processes do not start at once.
        start_jitter: Span = Span::from_ms(10), in Span::ZERO => Span::from_s(60), src "Flent starts one process a flow";
        /// Each TCP flow of a station starts so much later than the one before it that goes the same way.
        start_step: Span = Span::ZERO, in Span::ZERO => Span::from_s(60), src "by default they start together";
    }
}

/// The flows of one station.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    /// TCP uploads.
    pub tcp_up: u16,
    /// TCP downloads.
    pub tcp_down: u16,
    /// UDP load offered up.
    pub udp_up: Option<Rate>,
    /// UDP load offered down.
    pub udp_down: Option<Rate>,
}

impl Share {
    /// Whether there is any.
    pub fn is_some(self) -> bool {
        self.tcp_up > 0 || self.tcp_down > 0 || self.udp_up.is_some() || self.udp_down.is_some()
    }
}

/// Flows of each direction in Flent's RRUL. src: Flent rrul.conf
const RRUL_FLOWS: u16 = 4;

impl Traffic {
    /// TCP uploads a station.
    pub fn uploads(&self) -> u16 {
        let others = self.downloads() > 0 || self.udp_up.is_some() || self.udp_down.is_some();
        self.tcp_up.or(if self.rrul { RRUL_FLOWS } else { u16::from(!others) })
    }
    /// TCP downloads a station.
    pub fn downloads(&self) -> u16 {
        self.tcp_down.or(if self.rrul { RRUL_FLOWS } else { 0 })
    }
    /// What station `i`, counted from 0, has: what is said of it, else what is said of all.
    pub fn of(&self, own: &Stations, i: usize) -> Share {
        Share {
            tcp_up: own.tcp_up.get(i).unwrap_or_else(|| self.uploads()),
            tcp_down: own.tcp_down.get(i).unwrap_or_else(|| self.downloads()),
            udp_up: own.udp_up.get(i).unwrap_or(self.udp_up),
            udp_down: own.udp_down.get(i).unwrap_or(self.udp_down),
        }
    }
    /// Says what was left open, for those who read the values (the second water). Where stations are given flows of their own, the others
    /// have none that nobody has asked for.
    pub(super) fn settle(&mut self, own: &Stations) {
        let given = [own.tcp_up.len(), own.tcp_down.len(), own.udp_up.len(), own.udp_down.len()];
        if !self.rrul && given.iter().any(|&n| n > 0) {
            self.tcp_up = Auto::Set(self.tcp_up.or(0));
        }
        (self.tcp_up, self.tcp_down) = (Auto::Set(self.uploads()), Auto::Set(self.downloads()));
    }
}

choices! {
    /// Which 802.11.
    pub enum Standard {
        /// 802.11a: OFDM, no aggregation.
        A = "a",
        /// 802.11b: DSSS and CCK; 2.4 GHz only.
        B = "b",
        /// 802.11g: 802.11a's rates at 2.4 GHz; a station with a rate of 802.11b is one of those.
        G = "g",
        /// 802.11n: HT, A-MPDU.
        N = "n",
        /// 802.11ac: VHT, wider channels, A-MPDUs of up to 1 MiB; 5 GHz only.
        Ac = "ac",
        /// 802.11ax: HE, one station a PPDU, A-MPDUs of up to 256 MPDUs and 6.5 MB.
        Ax = "ax",
    }
}

choices! {
    /// The frequency band, as far as timing and the floor's path loss need it.
    pub enum BandName {
        /// SIFS 10 us, signal extension.
        Ghz2 = "2.4 GHz",
        /// SIFS 16 us.
        Ghz5 = "5 GHz",
    }
}

params! {
    /// The air: what every station of the BSS shares.
    pub struct Air {
        /// 802.11a, b, g, n, ac or ax.
        standard: Standard = Standard::N, src "this project";
        /// Modulation and coding scheme. 802.11n: 8 a spatial stream (7: one stream, 15: two); 802.11ac: 0 to 9, and 802.11ax: 0 to 11, beside
        /// `streams`.
        mcs: u8 = 7, in 0 => 31, src "802.11-2020 tables 19-27 to 19-34, 21-29 to 21-60; 802.11ax-2021 27.5";
        /// Spatial streams of 802.11ac and ax; in 802.11n the MCS says it.
        streams: u8 = 1, in 1 => 8, src "802.11-2020 tables 21-29 to 21-60";
        /// Channel width, MHz: 20 or 40, and with 802.11ac and ax 80 or 160.
        width_mhz: u8 = 40, in 20 => 160, unit "MHz", src "Hard Times section V: 40 MHz (ath9k), 80 MHz (ath10k)";
        /// Guard interval of 400 ns (802.11n and ac).
        short_gi: bool = true, src "Hard Times: 150 and 300 Mbit/s need it";
        /// Guard interval of 802.11ax.
        gi: Gi = Gi::Us0_8, src "802.11ax-2021 table 27-12";
        /// The data rate of 802.11a, b and g.
        rate: Rate = Rate::from_mbit(54), in Rate::from_mbit(1) => Rate::from_mbit(54), src "802.11-2020 table 17-4";
        /// The band.
        band: BandName = BandName::Ghz5, src "this project";
        /// The highest rate of the basic rate set, for responses and RTS.
        basic_rate: Rate = Rate::from_mbit(24), in Rate::from_mbit(6) => Rate::from_mbit(24), src "802.11-2020 17.3.8.3 mandatory rates";
        /// The highest basic rate of 802.11b, which bounds that of ACKs of its frames and of protection frames: at 2.4 GHz Minstrel-HT of ath9k has such frames without
        /// 802.11b stations, too.
        dsss_basic_rate: Rate = Rate::from_mbit(11), in Rate::from_mbit(1) => Rate::from_mbit(11), src "802.11-2020 16.3.3: all four rates of HR/DSSS are mandatory";
        /// 802.11b frames have short preambles (1 Mbit/s has none). Of ath9k's under Minstrel-HT not those since 5.17.
        short_preamble: bool = true, src "802.11-2020 16.2.2.3";
        /// OFDM frames go behind a CTS-to-self where 802.11b stations are about. Auto: as the standard has it, but not with 6.12's ath9k.
        erp_protection: Auto<bool> = Auto::Auto, src "802.11-2020 10.27.2; hostapd: Use_Protection with the first such station; linux@6.12 ath9k/xmit.c ath_merge_ratetbl leaves it out";
        /// What protects data frames: nothing, or WPA2's CCMP, which makes each MPDU 16 bytes longer (see also `ath9k.edma`) and the beacon
        /// 22. The other frames stay as they are.
        encryption: crate::wifi::Encryption = crate::wifi::Encryption::None, src "802.11-2016 12.5.3.2; the papers do not say, or had none";
        /// A-MPDUs; 802.11a, b and g have none.
        aggregation: bool = true, src "802.11-2020 10.12";
        /// `tx_sk_pacing_shift` of the devices: what TSQ looks ahead, as a part of a second (10: 1 ms, 7: 8 ms); off: not rewritten.
        tx_sk_pacing_shift: Auto<Option<u8>> = Auto::Auto, src "linux net/mac80211/main.c ieee80211_alloc_hw; by profile";
        /// Stations beside the AP.
        stations: u8 = 1, in 1 => 254, src "this project";
        /// Probability that an MPDU is lost to noise.
        error_rate: f64 = 0.0, in 0.0 => 1.0, src "this project";
        /// Probability that an MPDU is lost beside that, by its MCS: a list, MCS 0 first (802.11ac: ten a stream; 802.11ax: twelve; 802.11a: 6 Mbit/s
        /// first); MCSs beyond its end are lost as its last one.
        mcs_error: Each<f64> = Each::NONE, src "this project: a channel that stands still";
    }
}

choices! {
    /// What stands above ath9k_htc, which has no queues of its own.
    pub enum Above {
        /// What the kernel has: qdiscs before 6.2, mac80211's TXQs since.
        Kernel = "kernel",
        /// The qdisc of each of the netdev's queues.
        Qdisc = "qdisc",
        /// mac80211's TXQs.
        Txqs = "txqs",
    }
}

params! {
    /// A radio's host: what drives it, and the qdisc above it where the driver has no queues of mac80211's.
    pub struct Radio {
        /// The driver.
        driver: crate::driver::Name = crate::driver::Name::Ath9k, src "CoTSQ table I";
        /// What chooses the rates of what it sends; other than `fixed` and `ideal` with ath9k only (`minstrel_ht` with mt76, too, under 802.11n and ac), and up to `wifi.mcs`'s streams,
        /// `wifi.width_mhz` and `wifi.short_gi`.
        rate_control: crate::rate::Name = crate::rate::Name::Fixed, src "linux@6.12 net/mac80211/rate.c; the papers fix rates";
        /// The queueing discipline above ath9k_tidq, above ath9k_htc (see `above`), and above ath10k with `kernel` up to 4.14: since
        /// 4.15 mac80211's TXQs are above that. Other drivers have none.
        qdisc: crate::qdisc::Kind = crate::qdisc::Kind::FqCodel, src "CoTSQ table II: Arch Linux's default";
        /// Whether that qdisc stands above ath9k_htc, or mac80211's TXQs.
        above: Above = Above::Kernel, src "linux@6.12 ath9k/htc_drv_main.c ath9k_htc_ops: wake_tx_queue = ieee80211_handle_wake_tx_queue (since 6.2)";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_stand_by_their_series_oldest_first() {
        let all: Vec<_> = Kernel::ALL.iter().map(|k| k.series()).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert_eq!(Kernel::V5_10_262.series(), Kernel::V5_10.series());
    }
}
