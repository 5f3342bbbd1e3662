// SPDX-License-Identifier: GPL-2.0
/*
 * params: each parameter's default and its source stand here and nowhere else.
 */
#include <linux/errno.h>
#include <linux/ieee80211.h>
#include <linux/moduleparam.h>
#include "frame.h"
#include "params.h"

struct wt_params wt_p = {
	.radios = 2,
	.seed = 1,
	.max_frames = 32,	/* ath9k/xmit.c ath_tx_form_aggr: h_baw */
	.max_bytes = { 65535, 65535, 65535, 65535, 65535, 65535 },	/* ath9k/hw.h ATH_AMPDU_LIMIT_MAX; what an HT peer takes */
	.max_us = { 4096, 4096, 4096, 4096, 4096, 4096 },	/* ath9k/xmit.c ath_update_max_aggr_framelen (its comment rounds it to 4 ms) */
	.hw_depth = { 2, 2, 2, 2, 2, 2 },		/* ath9k.h ATH_AGGR_MIN_QDEPTH */
	.retries = {
		[WT_ATH9K] = 30,	/* ath9k.h ATH_MAX_SW_RETRIES */
		[WT_ATH9K_HTC] = 10,	/* open-ath9k-htc-firmware if_athvar.h OWLMAX_RETRIES */
		[WT_ATH10K] = 10,	/* ath10k.retries of a scenario */
		[WT_TIDQ] = 30,
		[WT_MT76] = 14,		/* driver/mt76.c: 15 transmissions */
		[WT_IWL] = 14,		/* iwlwifi.tries of a scenario */
	},
	.fifo = { [WT_ATH9K_HTC] = 246, [WT_ATH10K] = 1424, [WT_MT76] = 8128, [WT_IWL] = 256 },	/* driver/ath10k.c, mt76.c; iwlwifi.c: of a ring */
	.fifo_frames = { [WT_ATH10K] = 32, [WT_MT76] = 32, [WT_IWL] = 32 },	/* of a scenario: ath10k.ampdu_frames, mt76.ampdu_frames, and so on */
	.tid_depth = { [WT_ATH10K] = 2, [WT_MT76] = 2, [WT_IWL] = 1 },
	.amsdu_msdus = { [0 ... WT_MODES - 1] = 1 },
	.amsdu_bytes = { [WT_ATH10K] = 3839, [WT_MT76] = 3839, [WT_IWL] = 3839 },	/* 802.11-2016, table 9-19: the shorter one that an HT peer may take */
	.amsdu_ht_bytes = { [WT_ATH10K] = 3839, [WT_MT76] = 3839, [WT_IWL] = 3839 },
	.gro = true,
	.tso = true,
	.htc_buffers = 33,	/* driver/htc_firmware.c */
	.htc_frames = 17,	/* driver/htc_firmware.c */
	.htc_qdisc = true,
	.cpu_frame_ns = 12000,	/* calibrated, as the next two: docs/devices/ath9k_htc.md */
	.cpu_ppdu_ns = 40000,
	.cpu_turn_ns = 10000,
	.host_irq_ns = 40000,	/* drivers/usb/host/xhci-pci.c imod_interval */
	.tao_leave = 1,		/* thesis, section 4.8.2: until data_to_ack reaches one */
	/* hack_*: the model's ([hack] of a scenario, crates/core/src/wifi/hack/params.rs) */
	.hack_timer_us = 10000,
	.hack_guard_us = 100000,
	.hack_load_ns = 5000,
	.hack_bytes = 512,
	.max_pending = 123,	/* 3.18 ath9k.h ATH_MAX_QDEPTH: ATH_TXBUF / 4 - ATH_TXBUF_RESERVE */
	.edma = true,		/* ath9k/hw.c ath9k_hw_fill_cap_info: AR9300 and later */
	.streams = { 2 },
	.n_streams = 1,
	.n_density = 1,
	.density = { IEEE80211_HT_MPDU_DENSITY_8 },	/* ath9k/common-init.c ath9k_cmn_setup_ht_cap */
	.pacing_shift = -1,	/* net/mac80211/main.c ieee80211_alloc_hw_nm: 7, 8 ms */
	.ampdu = true,
	.ht = true,
	.fixed_mhz = { 40 },
	.n_mhz = 1,
	.he_gi_ns = 800,
	.fixed_sgi = true,
	.fixed_tries = 7,	/* dot11ShortRetryLimit, IEEE 802.11-2016 annex C */
	.rts_limit = 10,	/* ath9k/mac.h INIT_SH_RETRY */
	.window_limit = 32,	/* ath9k/mac.h INIT_SSH_RETRY; the standard's is dot11ShortRetryLimit, 7 */
	.cca_ns = 4000,		/* aCCATime, table 17-21 */
	.walk_ms = 1000,
	.capture_octets = 128,
	.capture_until_us = UINT_MAX,
};

#define PARAM(_type, _name, _text) \
	module_param_named(_name, wt_p._name, _type, 0444); MODULE_PARM_DESC(_name, _text)

PARAM(uint, radios, "number of radios [2]");
PARAM(uint, seed, "of every random stream [1]");
PARAM(uint, max_frames, "MPDUs an aggregate of ath9k's may hold [32]");
/* By mode; a list that ends early leaves the rest as they are. */
#define PER_MODE(_name, _text) \
	module_param_array_named(_name, wt_p._name, uint, NULL, 0444); MODULE_PARM_DESC(_name, _text)

PER_MODE(max_bytes, "octets of an aggregate, by mode [65535,65535,65535,65535,65535,65535]");
PER_MODE(max_us, "microseconds of an aggregate at the slowest rate of its chain, by mode (ath9k_htc: the firmware's table) [4096,4096,4096,4096,4096,4096]");
PER_MODE(hw_depth, "aggregates the hardware holds, by mode [2,2,2,2,2,2]");
PER_MODE(retries, "attempts that an MPDU gets, by mode; 1, 2: chains [30,10,10,30,14,14]");
module_param_array_named(mode, wt_p.mode, uint, &wt_p.n_mode, 0444);
MODULE_PARM_DESC(mode, "0 ath9k, 1 ath9k_htc (USB), 2 ath10k (deep FIFO, AQL), 3 ath9k before 4.10 (queues of its own below a qdisc), 4 mt76 (AQL alone), 5 iwlwifi (super-packets whole, a ring a TID); one a radio, the last holds for the rest [0]");
PER_MODE(fifo, "MSDUs that a device takes from mac80211, by mode [0,246,1424,0,8128,256]");
PER_MODE(fifo_frames, "MPDUs that an aggregate of a device with a FIFO may hold, by mode [0,0,32,0,32,32]");
PER_MODE(tid_depth, "PPDUs of one TID that the hardware of such a device holds, by mode [0,0,2,0,2,1]");
PER_MODE(amsdu_msdus, "MSDUs that such a device puts into an A-MSDU; 1: it forms none, by mode [1,1,1,1,1,1]");
PER_MODE(amsdu_bytes, "octets of an A-MSDU, by mode [0,0,3839,0,3839,3839]");
PER_MODE(amsdu_ht_bytes, "the same to a peer of 802.11n, where the card is of 802.11ac or ax, by mode [0,0,3839,0,3839,3839]");
PER_MODE(report_us, "microseconds for which such a device gathers completions before it tells of them, by mode [0,0,0,0,0,0]");
PARAM(uint, htc_buffers, "ath9k_htc: frames in the device [33]");
PARAM(uint, htc_frames, "ath9k_htc: MPDUs an aggregate may hold [17]");
PARAM(uint, cpu_frame_ns, "ath9k_htc: the device's CPU handles a frame once [12000]");
PARAM(uint, cpu_ppdu_ns, "ath9k_htc: it begins or ends one transmit unit [40000]");
PARAM(uint, cpu_turn_ns, "ath9k_htc: one idle turn of its loop [10000]");
PARAM(uint, host_irq_ns, "ath9k_htc: least time between two interrupts of the host's USB controller [40000]");
PARAM(bool, htc_qdisc, "ath9k_htc: fed by a qdisc as before 6.2; 0: by mac80211's TXQs [1]");
module_param_array_named(rx_ns, wt_p.rx_ns, uint, &wt_p.n_rx, 0444);
MODULE_PARM_DESC(rx_ns, "nanoseconds the host of radio i takes for each received frame; the last holds for the rest [0]");
PARAM(bool, tso, "iwlwifi: the driver cuts TCP's super-packets; 0: the stack does [1]");
PARAM(bool, gro, "ath10k, mt76, iwlwifi: received frames of a TCP stream that come together go up as one packet [1]");
PARAM(uint, rx_backlog, "where rx_ns says so: received frames that may wait for their host in a card's ring; more are dropped [0: the driver's]");
PARAM(uint, rimt_first_us, "ath9k: a receive interrupt comes this long after the first frame that it tells of (a card: 2000) [0]");
PARAM(uint, rimt_last_us, "ath9k: or this long after the last one (a card: 500); 0: at once [0]");
PARAM(bool, tao, "stations hold TCP ACKs until the A-MPDU that they answer has been taken in (tao.c) [0]");
PARAM(uint, tao_leave, "segments that may be without an ACK when the held ones go [1]");
PARAM(uint, hack, "TCP/HACK: a station's TCP ACKs ride on its responses (hack.c): 0 off, 1 counted only, 2 they wait for hack_timer_us, 3 those that wait in the card's queue, 4 while the AP has more [0]");
PARAM(uint, hack_timer_us, "hack=2: an ACK waits so long at most [10000]");
PARAM(uint, hack_guard_us, "an AP's promise, and its word that ACKs came, are waited for so long [100000]");
PARAM(uint, hack_load_ns, "from the stack until the card holds a compressed ACK [5000]");
PARAM(uint, hack_bytes, "octets that ride on one response at most [512]");
PARAM(uint, max_pending, "mode 3: frames of a category above which the netdev's queue is stopped [123]");
PARAM(bool, keep_turn, "mode 3: a TID that finds the hardware full stays first in its round (the thesis's fix) [0]");
PARAM(bool, edma, "ath9k: AR9300 or later; one before has ten delimiters more behind each encrypted MPDU of an aggregate, and tells of no beacon sent [1]");
module_param_array_named(standard, wt_p.standard, uint, &wt_p.n_standard, 0444);
MODULE_PARM_DESC(standard, "of radio i's card, where it is older than the network: 1 802.11n, 2 802.11ac, 3 802.11ax; 0: the network's; the last holds for the rest [0]");
module_param_array_named(streams, wt_p.streams, uint, &wt_p.n_streams, 0444);
MODULE_PARM_DESC(streams, "spatial streams of radio i, and of its link with the AP (radio 0, which has the most), 1..3 (802.11ac and ax ..8); the last holds for the rest [2]");
module_param_array_named(density, wt_p.density, uint, &wt_p.n_density, 0444);
MODULE_PARM_DESC(density, "A-MPDU density field that radio i announces, 0..7; the last holds for the rest [6: 8 us]");
PARAM(int, pacing_shift, "ieee80211_hw.tx_sk_pacing_shift: TSQ holds 2^-N s; -1: as mac80211 has it [-1]");
PARAM(bool, ampdu, "aggregate [1]");
PARAM(bool, ht, "802.11n [1]");
PARAM(bool, vht, "802.11ac: the fixed MCS is of it, with all of a link's streams; no rate control [0]");
PARAM(bool, he, "802.11ax on top of it: the same [0]");
PARAM(uint, he_gi_ns, "guard interval of 802.11ax: 800, 1600 or 3200 [800]");
PARAM(bool, dcf, "the BSS has no QoS: all contend by DCF, whatever mac80211 sets up (mac.c) [0]");
module_param_array_named(rc, wt_p.rc, charp, &wt_p.n_rc, 0444);
MODULE_PARM_DESC(rc, "rate control of radio i, as mac80211 names it, or fixed; the last holds for the rest [mac80211's default where no rate is fixed]");
module_param_array_named(fixed_mcs, wt_p.fixed_mcs, int, &wt_p.n_fixed, 0444);
MODULE_PARM_DESC(fixed_mcs, "MCS of all data between radio i and the AP (radio 0), both ways; the last holds for the rest; -1: ask rate control; -2: what carries most through the channel, as it was when the last PPDU there went out [-1]");
module_param_array_named(fixed_mcs_up, wt_p.fixed_mcs_up, int, &wt_p.n_fixed_up, 0444);
MODULE_PARM_DESC(fixed_mcs_up, "MCS of what radio i sends, in place of that; element 0 is the AP's own and unused; the last holds for the rest [none]");
module_param_array_named(fixed_legacy, wt_p.fixed_legacy, int, &wt_p.n_legacy, 0444);
MODULE_PARM_DESC(fixed_legacy, "bitrate index of all data between radio i and the AP, both ways; the last holds for the rest; -1: no [-1]");
module_param_array_named(dsss, wt_p.dsss, bool, &wt_p.n_dsss, 0444);
MODULE_PARM_DESC(dsss, "radio i's card is of 802.11b: 1, 2, 5.5 and 11 Mbit/s, and no short slots; the last holds for the rest [0]");
PARAM(bool, erp_protection, "frames of OFDM stand behind a CTS to self where the BSS protects them from stations of 802.11b; ath9k's do not since 5.17 [0]");
module_param_array_named(fixed_mhz, wt_p.fixed_mhz, uint, &wt_p.n_mhz, 0444);
MODULE_PARM_DESC(fixed_mhz, "width of radio i's link with the AP (radio 0: of the channel): 20, 40 or, with vht, 80 and 160; the last holds for the rest [40]");
PARAM(bool, fixed_sgi, "the cards have the short guard interval, and use it at a fixed MCS [1]");
PARAM(uint, fixed_tries, "attempts of the hardware at the fixed rate [7]");
PARAM(uint, ctl_rate, "rate of control responses, 100 kbit/s; 0: highest basic rate not above the data's [0]");
PARAM(bool, rts, "RTS/CTS before data of ath9k's modes [0]");
PARAM(bool, rts_lowest, "RTS of ath9k's modes at the band's lowest rate, as its driver has it; else at the highest basic rate not above the data's [0]");
PARAM(uint, rts_limit, "RTSs without CTS after which a frame is given up [10]");
PARAM(uint, window_limit, "failures in a row after which the contention window starts over [32]");
PARAM(uint, answer_error_ppm, "answers to data and BARs that are lost, in parts per million [0]");
PARAM(bool, explicit_bar, "a BAR follows an aggregate without answer, as in ns-3; ath9k's hardware sends the aggregate again [0]");
PARAM(bool, eifs, "bystanders of a collision wait EIFS [0]");
PARAM(uint, cca_ns, "starts closer than this collide [4000]");
module_param_array_named(error_ppm, wt_p.error_ppm, uint, &wt_p.n_error, 0444);
MODULE_PARM_DESC(error_ppm, "MPDU error rate in parts per million, one for each MCS from 0 up (802.11ac: ten a stream, ax: twelve; with ht=0 for each bitrate index); the last holds for the rest [0]");
module_param_array_named(walk, wt_p.walk, int, &wt_p.n_walk, 0444);
MODULE_PARM_DESC(walk, "what is added to the MCS before error_ppm is asked, step after step, over and over [0]");
PARAM(uint, walk_ms, "milliseconds of such a step [1000]");
PARAM(uint, capture_mib, "room in MiB to write down what is on the air; 0: not [0]");
PARAM(uint, capture_octets, "of each frame that are kept [128]");
PARAM(uint, capture_from_us, "microseconds of the run from which on that is done [0]");
PARAM(uint, capture_until_us, "and until which [4294967295]");
PARAM(uint, minstrel_kib, "room in KiB to write down what Minstrel-HT decides; 0: not [0]");
PARAM(ulong, minstrel_table, "where the kernel has its sample table [0]");

PARAM(charp, channel, "file with the links' losses over time, by MCS; it takes error_ppm's place for the links that it names [none]");

module_param_array_named(error_down_ppm, wt_p.error_down_ppm, uint, &wt_p.n_error_down, 0444);
MODULE_PARM_DESC(error_down_ppm, "the same of what the AP sends to radio i, in place of error_ppm; the last holds for the rest; element 0 is the AP's own and unused [none]");

module_param_array_named(error_run_milli, wt_p.error_run_milli, uint, &wt_p.n_error_run, 0444);
MODULE_PARM_DESC(error_run_milli, "MPDUs in a row that are lost of what the AP sends to radio i, mean, in thousandths; 0: each by itself; the last holds for the rest; element 0 is unused [none]");

module_param_array_named(error_up_ppm, wt_p.error_up_ppm, uint, &wt_p.n_error_up, 0444);
MODULE_PARM_DESC(error_up_ppm, "the same of what radio i sends to the AP [none]");

/* What a card is of. */
enum wt_standard wt_standard_of(unsigned int radio)
{
	enum wt_standard network = wt_p.he ? WT_HE : wt_p.vht ? WT_VHT : wt_p.ht ? WT_HT : WT_LEGACY;
	enum wt_standard own = wt_p.n_standard ? wt_listed(standard, n_standard, radio) : 0;

	return own ? min(own, network) : network;
}

/* The bitrate index of the data between a station and the AP; -1: it is not fixed. */
int wt_legacy_of(unsigned int radio)
{
	return wt_p.n_legacy ? wt_listed(fixed_legacy, n_legacy, radio) : -1;
}

/* Whether a card is of 802.11b. */
bool wt_is_dsss(unsigned int radio)
{
	return wt_p.n_dsss && wt_listed(dsss, n_dsss, radio);
}

/* A width that a link can have: 802.11n's is 40 MHz at most. */
static bool width_exists(unsigned int radio)
{
	unsigned int mhz = wt_listed(fixed_mhz, n_mhz, radio);
	bool wide = mhz == 80 || mhz == 160;

	if ((mhz != 20 && mhz != 40 && !wide) || mhz > wt_listed(fixed_mhz, n_mhz, 0))
		return false;
	return !wide || wt_standard_of(radio) == WT_VHT || wt_standard_of(radio) == WT_HE;
}

/* Standards, widths and streams that there are; those of 802.11ac and ax for fixed rates. */
static bool cards_exist(void)
{
	unsigned int i;

	if ((wt_p.he && !wt_p.vht) || (wt_p.vht && !wt_p.ht) || (wt_p.vht && !wt_p.n_fixed && !wt_p.n_rc))
		return false;
	if (wt_p.he_gi_ns != 800 && wt_p.he_gi_ns != 1600 && wt_p.he_gi_ns != 3200)
		return false;
	for (i = 0; i < wt_p.radios; i++) {
		unsigned int streams = wt_listed(streams, n_streams, i);
		enum wt_standard of = wt_standard_of(i);

		if (wt_listed(density, n_density, i) > 7 || !width_exists(i) || !streams || streams > (of == WT_VHT || of == WT_HE ? 8 : 3))
			return false;
	}
	return true;
}

/* Whether what the user set can be run. */
int wt_params_check(void)
{
	unsigned int i;

	if (!wt_p.radios || wt_p.radios > WT_MAX_RADIOS || !wt_p.walk_ms)
		return -EINVAL;
	if (!cards_exist())
		return -EINVAL;
	for (i = 0; i < WT_MAX_RADIOS; i++)
		wt_p.ideal |= (i < wt_p.n_fixed && wt_p.fixed_mcs[i] == WT_IDEAL) || (i < wt_p.n_fixed_up && wt_p.fixed_mcs_up[i] == WT_IDEAL);
	if (wt_p.hack >= WT_HACK_POLICIES || wt_p.hack_bytes < 8 || wt_p.hack_bytes > 2000 || !wt_p.hack_guard_us)
		return -EINVAL;
	if (wt_p.minstrel_kib && !wt_p.minstrel_table)
		return -EINVAL;
	for (i = 0; i < WT_MODES; i++)
		if (!wt_p.hw_depth[i])
			return -EINVAL;
	if (!wt_p.max_frames || wt_p.htc_buffers < 2 || !wt_p.htc_frames || !wt_p.fixed_tries)
		return -EINVAL;
	for (i = 0; i < WT_MODES; i++)
		if (wt_p.fifo_frames[i] > WT_MAX_MPDUS || wt_p.amsdu_msdus[i] > WT_MAX_MSDUS || (wt_p.fifo[i] && !wt_p.amsdu_msdus[i]))
			return -EINVAL;
	return 0;
}

/*
 * A stream a radio and purpose: adding a radio shifts nobody's draws. The seed is mixed (splitmix64) and the
 * generator run in, since prandom_seed_state gives near seeds near streams.
 */
void wt_seed(struct rnd_state *rnd, u32 radio, u32 purpose)
{
	u64 z = wt_p.seed * 0x9e3779b97f4a7c15ull + radio * 0xd1342543de82ef95ull + purpose * 0x2545f4914f6cdd1dull;
	int i;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	prandom_seed_state(rnd, z ^ (z >> 31));
	for (i = 0; i < 16; i++)
		prandom_u32_state(rnd);
}
