"""What real machines have of their own, and what none can have: the policy for keys that no script carries out.

Three kinds. ``LEFT``: the key describes a machine (its CPU, its card), and the bed is one: said, never refused. ``NEVER``: the
key asks for what only a model has: refused where it is set, with the reason. All others are refused, too, where they are set to
another value than the default, since nothing would carry them out.
"""

from __future__ import annotations

#: Keys and sections (ending in a point) that describe what a real machine is.
LEFT: dict[str, str] = {
    "host.": "a host's CPU is its own",
    "nic.rx_": "the card's own; ethtool -C changes it where the driver lets it",
    "tcp.rx_truesize": "the receiver's driver decides it",
    "tcp.rx_per_buffer": "the receiver's driver decides it",
    "tcp.rx_pages": "the receiver's driver decides it",
    "tcp.max_header": "it follows from the kernel's configuration",
    "tcp.gso_forced": "the kernel's own: it builds GSO skbs from 4.17 on",
    "ethernet.": "the wire and its card are the bed's",
    "bql.": "the wire's driver decides it",
    "traffic.start_jitter": "Flent's processes start when they start",
    "fixed.": "the chain of rates is the driver's and its rate control's",
    "minstrel_ht.version": "the kernel's own",
    "medium.": "who hears whom, and how a collision sounds, is the place's",
    "beacon.rate": "the lowest basic rate, where the driver has no other (hostapd.conf: basic_rates, beacon_rate)",
    "stations.rx": "a host's CPU is its own",
    "ath9k.": "the card's and its driver's own",
    "ath9k_htc.": "the card's, its firmware's and its driver's own",
    "ath10k.": "the card's and its firmware's own",
    "wifi.dsss_basic_rate": "hostapd's and the stations' own",
    "wifi.erp_protection": "hostapd's own",
}
#: Keys and sections that only a model has.
NEVER: dict[str, str] = {
    "hack.": "TCP/HACK needs a MAC that no card has",
    "channel.": "a real channel cannot be prescribed; it is the place's",
    "floor.": "a real channel cannot be prescribed; it is the place's",
    "stations.snr": "a real channel cannot be prescribed; it is the place's",
    "wifi.error_rate": "a real channel's losses cannot be prescribed",
    "wifi.mcs_error": "a real channel's losses cannot be prescribed",
    "stations.error_": "a real channel's losses cannot be prescribed",
    "medium.response_error": "a real channel's losses cannot be prescribed",
    "tao.": "TAO needs two calls within the driver, which no kernel has (docs/mechanisms/tao.md)",
    "sora.": "the thesis's software radio takes no scripts",
    "linksys.": "a closed access point takes no scripts",
    "linux.": "it is for the second water; a machine's own module is loaded there by hand",
    "tcp.stretch_acks": "macOS stretches its ACKs; these scripts are for Linux",
    "stations.stretch_acks": "macOS stretches its ACKs; these scripts are for Linux",
    "stations.mcs": "an access point's bit rates hold for all its stations",
    "stations.rate": "an access point's bit rates hold for all its stations",
    "stations.streams": "an access point's bit rates hold for all its stations",
    "stations.width_mhz": "an access point's bit rates hold for all its stations",
    "stations.weight": "the scripts know no station's address; mac80211.weight gives all of them one",
    "stations.driver": "the scripts look for one driver at all stations; give it to sta.driver and leave this out",
    "stations.cc": "Flent's tests of several hosts have one control",
    "stations.tcp_": "Flent's tests have the same flows with every host",
    "stations.udp_": "Flent's tests have the same flows with every host",
    "traffic.tcp_dscp": "the batch gives Flent's tests no marks but RRUL's",
    "traffic.udp_dscp": "the batch gives Flent's tests no marks but RRUL's",
    "traffic.ping_dscp": "the batch gives Flent's tests no marks but RRUL's",
    "tcp.ssthresh": "it is the cache of earlier connections, which the scripts switch off (tcp_no_metrics_save)",
    "stations.ssthresh": "it is the cache of earlier connections, which the scripts switch off (tcp_no_metrics_save)",
    "tcp.rcvlowat": "it is a socket's option, and netperf sets none",
    "tcp.enforce_pacing": "it is a socket's option, and netperf sets none; fq, or a control such as bbr, enforces pacing",
    "wifi.aggregation": "mac80211 has no switch for it",
    "reorder.timeout": "it is a constant of mac80211 (net/mac80211/rx.c HT_RX_REORDER_BUF_TIMEOUT)",
    "backhaul.veth": "the wire behind the access point is a real one",
    "mac80211.": "it is a constant of mac80211, or a driver's word to it",
    "tcp.tsq_pkts": "the kernel's floor is two skbs (net/ipv4/tcp_output.c tcp_small_queue_check)",
    "pfifo_fast.": "it is the device's",
    "fq_codel.mtu": "it is the device's",
    "tcp.init_cwnd": "it belongs to a route, and the routes are the bed's (ip route change ... initcwnd N)",
    "traffic.ping_payload": "Flent's pings have 56 bytes",
    "traffic.ping_udp": "Flent's bulk tests ping by ICMP",
    "traffic.tcp_delay": "all flows go to the bed's one server",
    "traffic.udp_sndbuf": "Flent gives iperf no such option",
    "traffic.mark_acks": "Flent marks both ends (netperf -Y)",
    "traffic.rrul_echoes": "Flent's RRUL has its UDP echoes",
}


def looked_up(table: dict[str, str], key: str) -> str | None:
    """The reason for a key: the longest entry that it is, or begins with."""
    found = [p for p in table if key == p or (p.endswith((".", "_")) and key.startswith(p))]
    return table[max(found, key=len)] if found else None


#: Of the bed's own network, where wifi.encryption asks for one: it stands in the folder and is no secret.
PASSPHRASE = "wavetank-ccmp"

#: Before these kernels the thing named was otherwise. src: linux 4.17 net/mac80211/tx.c (sk_pacing_shift_update); 4.10
#: ath9k/xmit.c (no TID queues of its own any more); 6.2 ath9k/htc_drv_main.c (wake_tx_queue); 4.20 net/ipv4/tcp.c tcp_init; 5.1
#: include/uapi/linux/nl80211.h NL80211_ATTR_AIRTIME_WEIGHT
SHIFT_SINCE, TIDQ_UNTIL, HTC_TXQS_SINCE, RMEM_SINCE, WEIGHT_SINCE = (4, 17), (4, 10), (6, 2), (4, 20), (5, 1)
