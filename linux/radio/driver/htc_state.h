/* SPDX-License-Identifier: GPL-2.0 */
/*
 * htc_state: what ath9k_htc's host, bus and device hold.
 */
#ifndef WAVETANK_RADIO_HTC_STATE_H
#define WAVETANK_RADIO_HTC_STATE_H

#include "air/medium.h"
#include "driver.h"

#define WT_HTC_MICROFRAME_NS	125000ull
#define WT_HTC_EVENTS	8	/* wlan_cfg.h ATH_WMI_MAX_EVENTS */
#define WT_HTC_UPLOADS	16
#define WT_HTC_POSTS	32

enum wt_htc_job { WT_HTC_IDLE, WT_HTC_RECEIVE, WT_HTC_COMPLETE, WT_HTC_FORM, WT_HTC_REPORT };
enum wt_htc_what { WT_HTC_REQUEST, WT_HTC_STATUS, WT_HTC_FRAMES };

struct wt_htc {
	struct sk_buff_head skbs;	/* for the next request */
	struct sk_buff_head request;	/* of the one in flight: not yet with the device */
	u8 urb;				/* the last request's number */
	bool in_flight;
	unsigned int buffers;		/* free, but for the beacon's */
	bool beacons;			/* one of them has a beacon */
	u64 arrive_at;			/* the first of request has arrived, 0 if none is on its way */
	u8 job;				/* enum wt_htc_job: what the CPU is busy with */
	bool forming;
	u8 forms;			/* units that are yet to be formed for the one that was completed */
	u64 cpu_at;			/* when it is done, 0 if idle */
	u64 idle;			/* since when */
	struct sk_buff *job_skb;
	struct wt_ppdu *job_ppdu;
	struct sk_buff_head inbox;	/* came by USB, wait for the CPU */
	struct list_head done;		/* units that the hardware is done with */
	unsigned int depth[IEEE80211_NUM_ACS];	/* units with the hardware or in done */
	struct sk_buff_head settled;	/* over, of the present pass */
	struct sk_buff_head statuses;	/* in events */
	u8 event[WT_HTC_EVENTS];	/* how many each has */
	unsigned int n_events;
	u64 poll_at;			/* the first is fetched, 0 if there is none */
	struct sk_buff_head early;	/* their status came before their request was complete */
	struct sk_buff_head lost;	/* their status never comes; skb->tstamp: since when */
	u64 clean_at;			/* those of the last two are looked at, 0 if there are none */
	struct sk_buff_head up;		/* received, not yet with the host */
	struct wt_htc_upload {
		u64 at;
		u16 n;
	} upload[WT_HTC_UPLOADS];	/* transfers that have ended or will */
	unsigned int n_uploads;
	u16 open_frames;		/* of the open one */
	u32 open_octets;
	u64 up_cpu, up_bus;		/* received frames occupy the CPU, uploads the bus until then */
	struct wt_htc_post {
		u8 what;		/* enum wt_htc_what */
		u16 n;
	} post[WT_HTC_POSTS];		/* what the interrupt will tell of */
	unsigned int n_posts;
	u64 irq_at, irq_last;		/* 0: none */
};

/* A frame's TID, on its way through the host and the bus; NULL: it has left. */
static inline struct wt_tid **wt_htc_tid(struct sk_buff *skb)
{
	return &wt_frame(skb)->tid;
}

/*
 * The device's CPU gives a unit to the hardware, at the time of its event: no clock of the host has a part in it. The guest's clock, which
 * wt_medium_offer asks, is some readings of 256 ns later there, by which a unit that is ready as a slot begins would miss it.
 */
static inline void wt_htc_push(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	r->htc->depth[ac]++;
	wt_medium_offer(r, ac, p);
	p->ready = wt_now;
}

#endif
