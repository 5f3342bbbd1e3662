/* SPDX-License-Identifier: GPL-2.0 */
/*
 * params: what the module was loaded with, and the random streams that its seed opens.
 */
#ifndef WAVETANK_RADIO_PARAMS_H
#define WAVETANK_RADIO_PARAMS_H

#include <linux/prandom.h>
#include <linux/types.h>
#include "kernel.h"

#define WT_MAX_RADIOS	33
#define WT_IDEAL	(-2)	/* fixed_mcs: the best that the channel lets through (air/channel.c) */
#define WT_MCS_OVER_STREAMS	96	/* 12 of 802.11ax for each of eight streams */

enum wt_standard { WT_LEGACY, WT_HT, WT_VHT, WT_HE };	/* what a card is of */
enum wt_mode { WT_ATH9K, WT_ATH9K_HTC, WT_ATH10K, WT_TIDQ, WT_MT76, WT_IWL, WT_MODES };
/* ack/hack.c: when a TCP ACK waits; NATIVE counts only */
enum wt_hack_policy { WT_HACK_OFF, WT_HACK_NATIVE, WT_HACK_TIMER, WT_HACK_OPPORTUNISTIC, WT_HACK_MORE_DATA, WT_HACK_POLICIES };

/* Read-only after loading; defaults and their sources: params.c. */
struct wt_params {
	unsigned int radios;		/* how many cards */
	unsigned int seed;		/* of every random stream */
	unsigned int max_frames;	/* MPDUs an aggregate may hold */
	unsigned int mode[WT_MAX_RADIOS];	/* enum wt_mode, a radio */
	unsigned int n_mode;
	/* by mode: an aggregate's length and its duration at the slowest rate of its chain; aggregates that the hardware holds;
	 * attempts that an MPDU gets in all (ath9k_htc, ath10k: chains) */
	unsigned int max_bytes[WT_MODES], max_us[WT_MODES], hw_depth[WT_MODES], retries[WT_MODES];
	unsigned int fifo[WT_MODES];	/* MSDUs that the device takes from mac80211 */
	/* by mode, of devices with a FIFO (driver/fifo.c): MPDUs that an aggregate may hold; PPDUs of one TID that the hardware holds; MSDUs of an
	 * A-MSDU, and octets of it with its subframe headers; how long completions gather until the host is told */
	unsigned int fifo_frames[WT_MODES], tid_depth[WT_MODES], amsdu_msdus[WT_MODES], amsdu_bytes[WT_MODES], report_us[WT_MODES];
	unsigned int amsdu_ht_bytes[WT_MODES];	/* the same to a peer of 802.11n, where the card is of a newer standard */
	unsigned int htc_buffers;	/* ath9k_htc: frames in the device */
	unsigned int htc_frames;	/* ath9k_htc: MPDUs an aggregate may hold */
	unsigned int cpu_frame_ns, cpu_ppdu_ns, cpu_turn_ns;	/* ath9k_htc: the device's CPU */
	unsigned int host_irq_ns;	/* ath9k_htc: least time between two interrupts of the host's USB controller */
	bool htc_qdisc;			/* ath9k_htc: a qdisc above it, which the radio stops; else TXQs */
	unsigned int rx_ns[WT_MAX_RADIOS];	/* the host's time for a received frame, a radio */
	unsigned int n_rx;
	bool tso;			/* iwlwifi: super-packets come whole */
	bool gro;			/* drivers with NAPI: received frames are merged */
	unsigned int rx_backlog;	/* frames that may wait for a host's CPU; 0: as many as the driver's ring holds */
	unsigned int rimt_first_us;	/* ath9k: a receive interrupt comes so long after the first frame that it tells of, */
	unsigned int rimt_last_us;	/* or so long after the last; 0: every frame is told of at once */
	bool tao;			/* stations hold TCP ACKs back (ack/tao.c) */
	unsigned int tao_leave;		/* segments that may be without an ACK when they go */
	unsigned int hack;		/* enum wt_hack_policy */
	unsigned int hack_timer_us, hack_guard_us;	/* an ACK waits at most; a promise is believed */
	unsigned int hack_load_ns;	/* from the stack to the card, compressed */
	unsigned int hack_bytes;	/* that ride on one response at most */
	bool edma;			/* cards without: more delimiters behind encrypted MPDUs, no interrupt for a beacon that was sent */
	unsigned int max_pending;	/* mode 3: frames of a category above which the netdev's queue is stopped */
	bool keep_turn;			/* mode 3: a TID that finds the hardware full stays first in its round */
	unsigned int standard[WT_MAX_RADIOS];	/* enum wt_standard: of radio i's card, where it is older than the network; 0: that one's */
	unsigned int n_standard;
	unsigned int streams[WT_MAX_RADIOS];	/* spatial streams of radio i, and of its link with the AP */
	unsigned int n_streams;
	unsigned int density[WT_MAX_RADIOS];	/* A-MPDU density field that radio i announces, 0..7 */
	unsigned int n_density;
	int pacing_shift;		/* TSQ's time at this device; -1: mac80211's own */
	bool ampdu;			/* aggregate at all */
	bool dcf;			/* the BSS has no QoS */
	bool ht;			/* 802.11n, else a/g only */
	bool vht;			/* 802.11ac, too: a fixed MCS is of it, with all of a link's streams */
	bool he;			/* and 802.11ax: the same */
	unsigned int he_gi_ns;		/* guard interval of HE: 800, 1600, 3200 */
	char *rc[WT_MAX_RADIOS];	/* rate control, a radio; "fixed": none, the fixed rate */
	unsigned int n_rc;
	int fixed_mcs[WT_MAX_RADIOS];	/* of the link of radio i with the AP, both ways; -1: ask rate control; or WT_IDEAL */
	unsigned int n_fixed;
	int fixed_mcs_up[WT_MAX_RADIOS];	/* of what radio i sends, in place of that */
	unsigned int n_fixed_up;
	int fixed_legacy[WT_MAX_RADIOS];	/* bitrate index of all data between radio i and the AP, or -1 */
	unsigned int n_legacy;
	bool dsss[WT_MAX_RADIOS];	/* radio i's card is of 802.11b */
	unsigned int n_dsss;
	bool erp_protection;		/* OFDM frames stand behind a CTS to self where the BSS asks for it */
	unsigned int fixed_mhz[WT_MAX_RADIOS];	/* width of radio i's link with the AP; of radio 0: of the channel */
	unsigned int n_mhz;
	bool ideal;			/* some is WT_IDEAL */
	bool fixed_sgi;			/* the cards have the short guard interval, and use it at a fixed MCS */
	unsigned int fixed_tries;	/* of the hardware at a fixed rate */
	unsigned int ctl_rate;		/* 100 kbit/s; 0: by the standard's rule */
	bool rts;
	bool rts_lowest;		/* at the band's lowest rate */
	unsigned int rts_limit;		/* RTSs without CTS after which a PPDU is given up */
	unsigned int window_limit;	/* failures in a row after which the contention window starts over */
	unsigned int answer_error_ppm;	/* answers to data that are lost, of a million */
	bool explicit_bar;		/* ask with a BAR after an aggregate without answer */
	bool eifs;			/* bystanders of a collision wait EIFS */
	unsigned int cca_ns;		/* two that start closer than this do not hear each other */
	unsigned int error_ppm[WT_MCS_OVER_STREAMS];	/* per MPDU, by MCS over all streams (without 802.11n by bitrate index) */
	unsigned int n_error;
	char *channel;			/* file that says what each link does to a PPDU (air/channel.c) */
	int walk[64];			/* what is added to the MCS before error_ppm is asked, a step */
	unsigned int n_walk;
	unsigned int walk_ms;		/* a step of it */
	unsigned int capture_mib;	/* room of the air's capture (air/capture.c); 0: none */
	unsigned int capture_octets;	/* kept of each frame */
	unsigned int capture_from_us, capture_until_us;	/* of the run */
	unsigned int minstrel_kib;	/* room of Minstrel's recording (minstrel.c) */
	unsigned long minstrel_table;
	unsigned int error_down_ppm[WT_MAX_RADIOS];	/* of what the AP sends to radio i, in place of that */
	unsigned int n_error_down;
	unsigned int error_run_milli[WT_MAX_RADIOS];	/* MPDUs in a row that are lost to radio i, mean, in thousandths; 0: each by itself */
	unsigned int n_error_run;
	unsigned int error_up_ppm[WT_MAX_RADIOS];	/* of what radio i sends to the AP, likewise */
	unsigned int n_error_up;
};
extern struct wt_params wt_p;

/* What a list has for radio i: the last holds for the rest. `_n` of them were given, one at least. */
#define wt_listed(_list, _n, _i)	(wt_p._list[min_t(unsigned int, _i, wt_p._n - 1)])

static inline bool wt_hack_on(void)
{
	return wt_p.hack != WT_HACK_OFF;
}

static inline bool wt_hack_rides(void)
{
	return wt_p.hack > WT_HACK_NATIVE;
}

enum wt_standard wt_standard_of(unsigned int radio);
int wt_legacy_of(unsigned int radio);
bool wt_is_dsss(unsigned int radio);
int wt_params_check(void);
void wt_seed(struct rnd_state *rnd, u32 radio, u32 purpose);

#endif
