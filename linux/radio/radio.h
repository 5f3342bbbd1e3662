/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wavetank_radio: a virtual 802.11a/b/g/n/ac/ax card whose air is modelled, under the real mac80211.
 *
 * A packet's way, and the layers that it crosses, each a folder:
 *
 *   mac80211's TXQs --(driver/ pulls)--> mpdu/: a PPDU is formed --> the hardware queue of an access category
 *     --> air/: who may send, when, and what comes of it; what arrived is copied to the receiving radio
 *     --> mpdu/: what is acknowledged, retried, given up --> driver/: the next PPDU --> mac80211 is told
 *
 * Who may call whom, by name (include): a file its own layer and those before it in this list, where python/tests/test_radio.py holds it.
 *
 *   ground   kernel.h, params, radio (this file), frame, driver.h, rider.h
 *   air/     vht, he, phy, channel, csi, trace, capture, loss, edca, host, napi, rx, medium
 *   mpdu/    status, rate_set, rates, block_ack, amsdu, ampdu, tx
 *   driver/  fifo, ath9k with seize, ath10k, mt76, iwlwifi, htc, tidq with above
 *   clock    what happens when: clock, beacon
 *   ack/     TCP ACKs: tao, hack
 *   host     pace, wire, mac, card, minstrel, debug, main
 *
 * Upwards goes only what driver.h (the device of a radio) and rider.h (who looks on, and rides on answers) say.
 *
 * Time is one absolute line of nanoseconds of CLOCK_MONOTONIC: an event happens at the time it was due, whatever the clock says
 * when its timer runs. Reading the clock costs time in virtual time, so sums of ktime_get() would drift.
 *
 * Locking: one lock (wt_lock, softirq-safe) guards radios, queues and the medium. What calls back into us
 * (transmit status, received frames, BARs) is put on lists and called after unlocking (clock.c).
 */
#ifndef WAVETANK_RADIO_H
#define WAVETANK_RADIO_H

#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <net/mac80211.h>
#include "frame.h"
#include "params.h"

#define WT_BEACON_Q	IEEE80211_NUM_ACS
#define WT_NUM_Q	(IEEE80211_NUM_ACS + 1)
#define WT_MCS_MODULATIONS	((32 + 2 * 8 * 12) * 4 * 2)	/* MCSs of 802.11n; of 802.11ac and ax with eight streams; widths; guard intervals */
#define WT_MODULATIONS	(WT_MCS_MODULATIONS + 4 + 8)	/* and 802.11b's rates, and 802.11a's and g's */

struct wt_rx_frame;		/* rider.h */

/* One access category: its hardware queue and its contention (air/edca.c). */
struct wt_edcaf {
	u16 aifsn, cw_min, cw_max, txop_us;
	u16 cw;
	u16 slots;			/* of backoff that remain */
	u16 failures;			/* in a row: QSRC[AC] */
	struct list_head hwq;
	bool tried;			/* its head was on the air */
	bool follows;			/* its head is just over: what comes now has waited behind it */
	u16 depth, ampdu_depth;
	struct rnd_state rnd;
};

struct wt_counters {
	u64 ppdus, mpdus, acked_mpdus, failed_mpdus, dropped_mpdus;
	u64 collisions, no_response, internal_collisions, aggregates, singles;
	u64 airtime_ns, ht_ampdu[WT_MAX_MPDUS + 1];
	u64 rx_airtime_ns, rx_ampdu[WT_MAX_MPDUS + 1], rx_bad[WT_MAX_MPDUS + 1];	/* of what was sent to it */
	u64 mode_ppdus[WT_MODULATIONS], mode_mpdus[WT_MODULATIONS];	/* data, by air/phy.c wt_phy_modulation */
	u64 rx_mode_ppdus[WT_MODULATIONS], rx_mode_mpdus[WT_MODULATIONS];	/* of what was sent to it */
	u64 rx_mpdus, rx_bytes, back_to_back, fifo_max, netdev_stops, lost_statuses;
	u64 backlog_drops;	/* frames that its host's CPU had no room for, and what they would have let go */
	u64 tao_held, tao_releases, tao_expired;
};

struct wt_radio {
	struct ieee80211_hw *hw;
	int index;
	bool started;
	bool own_rc;			/* its rate control was named: no fixed rate for what it sends */
	bool dcf;			/* a BSS without QoS: DCF's count at the first boundary (air/edca.c) */
	struct ieee80211_vif *vif;	/* one interface a radio */
	struct ieee80211_supported_band bands[NUM_NL80211_BANDS];	/* what its card can (air/phy.c) */
	struct ieee80211_sband_iftype_data he;
	u32 freq;			/* of the primary channel, MHz */
	struct wt_edcaf ac[WT_NUM_Q];	/* IEEE80211_AC_VO.. first is the highest; then the beacon's */
	u64 base;			/* AIFSN slots are counted from here: end of the last frame + SIFS */
	u64 nav;			/* the medium is busy for it until then, though nobody sends: an answer that does not come */
	u64 tbtt;			/* next beacon, 0 if none */
	u64 late_at;			/* when a response that did not come is given up, 0 if none waits */
	int late_q;
	/* air/rx.c */
	struct sk_buff_head held_q;	/* arrived, the receive interrupt has yet to come */
	u64 held_first, held_last;	/* when the first and the last of them ended */
	u64 lands_first, lands_until;	/* of the last PPDU to it: when its first decoded MPDU ends, and when it ends */
	u64 told;			/* the last receive interrupt in the midst of one */
	struct sk_buff_head rx_ready;	/* to be handed to mac80211 after unlocking */
	const struct wt_rx_frame *coming;	/* is with mac80211 now */
	struct wt_napi *napi;		/* air/napi.c; NULL: frames go up one by one */
	/* air/host.c */
	struct sk_buff_head rx_q;	/* from mac80211, the host has yet to get to them */
	struct sk_buff_head rx_done;	/* to be handed to IP after unlocking */
	unsigned int rx_ringed;		/* frames of the card's ring that rx_q stands for */
	unsigned int rx_due;		/* of those whose packets go up now: not yet among these */
	bool rx_full;			/* the ring had no room for what is coming */
	u64 rx_at;			/* when the host is done with the first of rx_q, 0 if none */
	struct sk_buff *passing;	/* is with IP now */
	/* driver/ */
	const struct wt_driver *driver;
	struct wt_htc *htc;
	struct wt_tidq *tidq;
	struct list_head fw_tids[IEEE80211_NUM_ACS];	/* TIDs with frames in the firmware, in turn */
	unsigned int fifo_used;
	struct sk_buff_head unreported;	/* over, and the host has yet to be told (driver/fifo.c) */
	u64 report_at;			/* when it will be, 0: nothing waits */
	bool polled;			/* its host was handed something, in this softirq */
	bool freed;			/* and that was frames of its own */
	struct tasklet_struct worker;	/* the driver's work; schedule it under the lock */
	bool netdev_stopped;
	bool corked;			/* several frames come down as one: they are looked at when all are there */
	/* ack/ */
	struct wt_tao *tao;
	struct wt_hack *hack;
	struct rnd_state rnd_error, rnd_answer;
	u32 csi_count;
	struct wt_counters count;
};

extern spinlock_t wt_lock;
extern u64 wt_now;			/* time of the last event */
extern struct wt_radio *wt_radios[WT_MAX_RADIOS];
extern unsigned int wt_n_radios;

/* Now, on the line of time: never before an event that has happened. */
static inline u64 wt_time(void)
{
	return max_t(u64, ktime_get_ns(), wt_now);
}

static inline enum nl80211_band wt_band(const struct wt_radio *r)
{
	return r->freq < 4000 ? NL80211_BAND_2GHZ : NL80211_BAND_5GHZ;
}

static inline bool wt_is_ap(const struct wt_radio *r)
{
	return r->vif && r->vif->type == NL80211_IFTYPE_AP;
}

static inline bool wt_is_station(const struct wt_radio *r)
{
	return r->vif && r->vif->type == NL80211_IFTYPE_STATION;
}

bool wt_hears(const struct wt_radio *to, const struct wt_radio *from);
struct wt_radio *wt_receiver(const struct wt_radio *from, const u8 *addr);
struct net_device *wt_netdev_of(const struct wt_radio *r);
void wt_netdev_stop(struct wt_radio *r, bool stop);

#endif
