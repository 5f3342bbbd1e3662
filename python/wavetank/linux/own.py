"""What the second water has of its own: values that a scenario cannot change, and limits of the virtual card."""

from __future__ import annotations

from . import tree

#: What the second water has where the model has a parameter: value, or the key whose value it is, and why it cannot be another.
OWN: dict[str, tuple[str, str]] = {
    "kernel": (
        "6.12",
        "the kernel that runs is Linux 6.12, on wires 4.14, 4.19, 5.4, 5.10, 5.10.262, 5.15.148, 6.1.192 and 6.6.129, too",
    ),
    "host.hz": ("100", "User-Mode Linux has HZ = 100 without a patch to arch/um"),
    "host.server_rx": ("0 ns", "receiving takes time on the radios' hosts only (wavetank_radio's rx_ns)"),
    "host.softirq_first": ("auto", "no virtual time passes while the guest computes: its program reads between two instants"),
    "host.wake": ("0 ns", "no virtual time passes while the guest's scheduler wakes a program"),
    "tcp.max_header": ("96", "it follows from the kernel's configuration: WLAN without mesh, no tunnels"),
    "wifi.basic_rate": ("24 Mbit/s", "the virtual card answers at 6, 12 or 24 Mbit/s, as the standard's rule has it"),
    "beacon.rate": ("6 Mbit/s", "mac80211 sends them at the lowest basic rate"),
    "medium.places": ("1", "the virtual radios all hear each other"),
    "reorder.timeout": ("100 ms", "it is a constant of mac80211 (net/mac80211/rx.c HT_RX_REORDER_BUF_TIMEOUT)"),
    "fixed.rts_fallback": ("false", "the virtual card has one link in its chain of rates"),
    "ath9k.window": ("64", "the Block Ack window of the virtual card is 64"),
    "ath9k.subframe_bytes": ("256", "the virtual card pads as ath9k does (linux/radio/mpdu/ampdu.c)"),
    "ath9k_htc.urb_frames": ("20", "the virtual card's URBs are hif_usb.h's (linux/radio/driver/htc.c)"),
    "ath9k_htc.bulk_packets": ("13", "the virtual card's bus is USB 2.0's limit (linux/radio/driver/htc.c)"),
    "mt76.encap": ("false", "mac80211 makes the 802.11 headers for the virtual card"),
    "iwlwifi.reorder_timeout": ("100 ms", "the virtual iwlwifi hands frames up as they came: the reorder buffer is mac80211's"),
    "mt76.reorder": ("false", "the virtual mt76 hands frames up as they came: the reorder buffer is mac80211's"),
    "tao.behind_holes": ("false", "TAO's hook in the kernel sees what has left the reorder buffer (linux/radio/ack/tao.c)"),
    "nic.gro": ("false", "the wire behind the AP is a veth pair without NAPI"),
    "nic.rx_usecs": ("0 ns", "the wire behind the AP is a veth pair without NAPI"),
    "nic.rx_gap": ("0 ns", "the wire behind the AP is a veth pair without NAPI"),
    "tcp.rx_truesize": ("4352 B", "the virtual card copies a received frame into a buffer of 4 KiB"),
    "tcp.rx_per_buffer": ("2", "the virtual card's buffer of 4 KiB has room for a second frame"),
    "tcp.rx_pages": ("false", "the virtual card copies a received frame into a buffer of 4 KiB"),
    "backhaul.veth": ("true", "the wire behind the AP is a veth pair"),
    "ethernet.rate": ("off", "the wire behind the AP is a veth pair, which has no rate"),
    "ethernet.ring": ("off", "the wire behind the AP is a veth pair, which has no ring"),
    "ethernet.bql": ("false", "the wire behind the AP is a veth pair, which has no queue to limit"),
    "tcp.gso_forced": ("true", "Linux 6.12 builds GSO skbs whatever the device says"),
    "tcp.pacing_at_server": ("true", "the ratios are set in every namespace"),
    "tcp.tsq_pkts": ("2", "the kernel's floor is two skbs (net/ipv4/tcp_output.c tcp_small_queue_check)"),
    "fq_codel.mtu": ("1514", "it is the device's"),
    "pfifo_fast.limit": ("1000", "it is the device's tx_queue_len"),
}  # fmt: skip
#: The same of a wired scenario, where that is another: the skb that a veth pair hands over has the sender's pages and a head of
#: 896 bytes (crates/core/src/tcp/truesize.rs). Its head is its own again after R (net/ipv4/ip_forward.c, skb_cow), so that it
#: is merged (net/core/skbuff.c skb_try_coalesce) as long as MAX_SKB_FRAGS, 17, are enough: a segment now and then has two.
OWN_WIRED: dict[str, tuple[str, str]] = {
    "tcp.rx_truesize": ("2344 B", "a veth pair hands over the sender's skb, with the memory that it has there"),
    "tcp.rx_pages": ("true", "a veth pair hands over the sender's skb, whose payload is in pages"),
    "tcp.rx_per_buffer": ("17", "an skb takes 17 pieces of pages (MAX_SKB_FRAGS)"),
    "host.softirq_first": ("true", "its program reads once the softirq that woke it is through"),
}


def of_tc() -> dict[str, tuple[str, str]]:
    """How this machine's ``tc``, which the guest runs, hands over HTB's depths; empty where there is none.

    src: iproute2@6.15 tc/tc_core.c tc_calc_xmittime, and 6.1's
    """
    release = tree.iproute2()
    if release is None:
        return {}
    why = f"the guest's tc is this machine's, iproute2 {release[0]}.{release[1]}; 6.15 counts ticks of 64 ns"
    return {"htb.whole_us": ("true" if release < (6, 15) else "false", why)}


#: Why keys of a section without a counterpart cannot be set.
WHY: dict[str, str] = {
    "ath9k_htc": "it is a constant of the virtual card (linux/radio/driver/htc.c)",
    "ath10k": "it is a constant of the virtual card (linux/radio/driver/ath10k.c)",
    "mt76": "it is a constant of the virtual card (linux/radio/driver/mt76.c)",
    "iwlwifi": "it is a constant of the virtual card (linux/radio/driver/iwlwifi.c)",
    "nic": "the wire behind the AP is a veth pair without NAPI",
    "mac80211": "it is a constant of mac80211 (net/mac80211/tx.c ieee80211_txq_setup_flows), which is not patched",
    "bql": "the wire behind the AP is a veth pair",
    "tcp": "the kernel offers no way to set it",
    "medium": "the virtual radio has no such part",
    "ath9k": "the virtual card has no such part",
    "stations": "the virtual radio has one for all stations",
    "traffic.tcp_delay": "all flows go to the guest's one server",
}
#: TCP/HACK's policies by the radio's numbers (linux/radio/params.h enum wt_hack_policy).
HACK = ("off", "native", "timer", "opportunistic", "more-data")
#: The virtual radio's values by mode, in the order of :data:`MODES` (linux/radio/params.c).
BY_MODE: dict[str, tuple[int, ...]] = {
    "fifo": (0, 246, 1424, 0, 8128, 256),
    "max_bytes": (65535, 65535, 65535, 65535, 65535, 65535),
    "max_us": (4096, 4096, 4096, 4096, 4096, 4096),
    "hw_depth": (2, 2, 2, 2, 2, 2),
    "retries": (30, 10, 10, 30, 14, 14),
    "fifo_frames": (0, 0, 32, 0, 32, 32),
    "tid_depth": (0, 0, 2, 0, 2, 1),
    "amsdu_msdus": (1, 1, 1, 1, 1, 1),
    "amsdu_bytes": (0, 0, 3839, 0, 3839, 3839),
    "amsdu_ht_bytes": (0, 0, 3839, 0, 3839, 3839),
    "report_us": (0, 0, 0, 0, 0, 0),
}
#: Standards of cards, as wavetank_radio's ``standard`` counts them.
STANDARDS = {"n": 1, "ac": 2, "ax": 3}
MODES = {"ath9k": 0, "ath9k_htc": 1, "ath10k": 2, "ath9k_tidq": 3, "mt76": 4, "iwlwifi": 5}
#: Congestion controls that Linux 6.12 has, of those that the model knows.
STOCK_CC = frozenset({
    "reno", "cubic", "vegas", "bbr", "yeah", "highspeed", "nv", "westwood", "veno", "hybla", "bic", "htcp", "illinois",
    "scalable", "dctcp", "cdg", "lp",
})  # fmt: skip
#: Of these, who counts marks one by one: both ends of a connection have to (TCP_CONG_NEEDS_ECN).
NEEDS_ECN = frozenset({"dctcp"})
#: Of these, what has parameters that the kernel takes when it begins: the section's keys are their names (module_param).
PARAMETERS = frozenset({"cubic", "vegas", "nv", "hybla", "bic", "htcp", "illinois", "dctcp", "cdg"})
#: Those that linux/modules/wavetank_bbr makes of the kernel's BBR, by the kernel's name.
OWN_CC = {"bbrp": "bbrp", "bbr-plus": "bbr_plus", "bbr-dev": "bbr_dev"}
#: What stands in for what the scenario names, and of what that is a name.
STAND_INS = {"linux.cc": "TCP flow", "linux.qdisc": "discipline", "linux.rate_control": "card"}
#: What a scenario says for the real kernel alone.
OF_LINUX = ("linux.modules", *STAND_INS)
#: Bits of a gain in the kernel's struct bbr, of which eight are behind the point.
GAIN_BITS = 10
#: mac80211's own tx_sk_pacing_shift in 6.12, and TCP's. src: net/mac80211/main.c, net/core/sock.c
MAC80211_SHIFT, SOCKET_SHIFT = 7, 10
#: What a device that does VHT lets its TXQs hold. src: include/net/fq_impl.h fq_init
MEMORY_VHT = 16 << 20
#: wavetank_radio's 33 cards, one of them the AP's; its three streams; count:5 of struct ieee80211_tx_rate.
MOST_STATIONS, MOST_MCS, MOST_TRIES = 32, 23, 31
#: Of its table of losses: 12 MCSs of 802.11ax for each of eight streams.
MCS_OVER_STREAMS = 96
#: Rates of 802.11b, bits a second, which stand before the others at 2.4 GHz.
DSSS = (1_000_000, 2_000_000, 5_500_000, 11_000_000)
LEGACY_MBIT = (6, 9, 12, 18, 24, 36, 48, 54)
#: A-MPDU density field by its time, ns. src: 802.11-2020 table 9-185
DENSITY = {0: 0, 250: 1, 500: 2, 1000: 3, 2000: 4, 4000: 5, 8000: 6, 16000: 7}
#: A tcp_limit_output_bytes that no small queue reaches.
UNLIMITED = 2**31 - 1
#: The least beacon_int that hostapd takes, its default, and the most that cfg80211 does.
#: src: net/wireless/util.c cfg80211_validate_beacon_int
MOST_OFTEN, HOSTAPD_INTERVAL, MOST_SELDOM = 15, 100, 10_000
MARKS = (0, 8, 40, 46)
#: hostapd's number of an access category's own queue (tx_queue_dataN).
HOSTAPD_QUEUE = {"vo": 0, "vi": 1, "be": 2, "bk": 3}
UDP_ECHOES = (("udp_be", 0), ("udp_bk", 8), ("udp_ef", 46))
#: What the model is given for a value that only the second water has, so that both are set up alike.
ALIKE: dict[str, str] = {
    "ethernet.rate": "400 Gbit/s",
    "ethernet.ring": "65536",
}
