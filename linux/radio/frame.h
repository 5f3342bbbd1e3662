/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame: what is kept of a frame, a TID and a station in mac80211's structures, and a PPDU: what the hardware is given.
 */
#ifndef WAVETANK_RADIO_FRAME_H
#define WAVETANK_RADIO_FRAME_H

#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include "kernel.h"

#define WT_MAX_MSDUS	7	/* of an A-MSDU: what 11454 octets hold of full packets */
#define WT_WINDOW	64	/* of a Block Ack agreement, where no other was agreed on */
#define WT_MAX_MPDUS	256	/* of one A-MPDU: the window of 802.11ax */
#define WT_BAW_BITS	(2 * WT_MAX_MPDUS)	/* twice the window, as ath9k's ATH_TID_MAX_BUFS */

struct wt_tid {				/* ieee80211_txq.drv_priv */
	struct ieee80211_txq *txq;	/* NULL until first seen */
	struct sk_buff_head fw_q;	/* in the firmware, not yet sent (driver/) */
	struct list_head fw_list;	/* in wt_radio.fw_tids, if fw_q or retry_q holds something */
	struct sk_buff_head retry_q;	/* to be sent again, or pulled and not fitted */
	DECLARE_BITMAP(baw, WT_BAW_BITS);	/* MPDUs of the window that are not completed */
	u16 baw_head, baw_tail;
	u16 seq_start;			/* the window's first sequence number */
	u16 baw_size;
	u16 bar_seq;
	bool active;			/* a Block Ack session runs */
	bool amsdus;			/* its peer takes A-MSDUs */
	u8 in_hw;			/* PPDUs of a device with a FIFO that are with the hardware (driver/fifo.c) */
	u16 unused;			/* numbers of mac80211's that no MPDU has (driver/seize.c, mpdu/amsdu.c) */
	bool bar_due;			/* everything before bar_seq was given up */
	/* driver/tidq.c */
	struct list_head turn;		/* in wt_turn.tids, if it waits for its turn */
	u32 id;				/* towards the discipline above; 0: not yet */
	u32 allowed;			/* octets of an aggregate at the present rate; 0: not yet known */
	u32 held_bytes;			/* what fw_q and retry_q would take on the air */
	u16 held;			/* frames in them */
	u16 seq_next;			/* the number after the last one that was looked at */
	bool numbered;			/* the first of fw_q was looked at */
	bool paused, more;		/* the discipline was told to PAUSE; it has announced more */
	/* driver/iwlwifi.c */
	struct sk_buff_head ring_over;	/* over for the air, behind one that is not, by number */
	u16 ring_front, ring_used;	/* the number of the first that is not over; descriptors in use */
	bool ring_known, ring_stopped;	/* that number is; the TXQ is not pulled from */
	bool asks;			/* a BAR of ath9k_htc's firmware waits for its answer, and all else for that (driver/htc_bar.c) */
};

struct wt_turn {			/* one station in one category: 3.18's ath_atx_ac */
	struct list_head list;		/* in the round of its category */
	struct list_head tids;
};

static inline void wt_turns_init(struct wt_turn *turn)
{
	int ac;

	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
		INIT_LIST_HEAD(&turn[ac].list);
		INIT_LIST_HEAD(&turn[ac].tids);
	}
}

struct wt_rate_set {			/* mpdu/rate_set.c */
	struct ieee80211_tx_rate rates[4], probe;
	u8 given;			/* how many are mac80211's */
	bool probing;
};

struct wt_sta {				/* ieee80211_sta.drv_priv */
	struct ieee80211_tx_rate table[4];	/* mac80211's, of a card that goes through a set of its rates */
	int given;			/* of them; 0: it was not told yet */
	bool stale;			/* mac80211 has another by now */
	struct wt_rate_set set;
	u32 max_ampdu;
	u32 density_ns;
	u16 asked;			/* bit by TID: its driver has asked for a Block Ack session */
	struct wt_turn turn[IEEE80211_NUM_ACS];
};

struct wt_vif {				/* ieee80211_vif.drv_priv */
	u32 beacon_tu;
	bool beaconing;
	struct wt_turn turn[IEEE80211_NUM_ACS];
};

struct wt_frame {			/* tx_info->status.status_driver_data, as ath9k's ath_frame_info */
	u16 seq;
	u8 attempts;
	union {
		u8 urb;			/* ath9k_htc: the request that it came with */
		u8 tfd;			/* driver/iwlwifi.c: what it is in its ring */
	};
	bool baw_tracked;
	bool in_fifo;			/* counted in wt_radio.fifo_used */
	bool more;			/* an MSDU of the same MPDU follows (mpdu/amsdu.c) */
	union {
		struct sk_buff *next;	/* that one */
		struct wt_tid *tid;	/* ath9k_htc: driver/htc_state.h */
		struct wt_radio *radio;	/* whose frame it was, once it is over */
	};
};

static inline struct wt_frame *wt_frame(struct sk_buff *skb)
{
	return (struct wt_frame *)&IEEE80211_SKB_CB(skb)->status.status_driver_data[0];
}

#define WT_CCMP_MIC	8	/* IEEE80211_CCMP_MIC_LEN: the card's; the header before the payload is mac80211's (mac.c wt_op_set_key) */

static inline bool wt_protected(const struct sk_buff *skb)
{
	return ieee80211_has_protected(((const struct ieee80211_hdr *)skb->data)->frame_control);
}

/* Octets in front of a data frame's LLC. */
static inline unsigned int wt_header_len(const struct sk_buff *skb)
{
	return ieee80211_hdrlen(((const struct ieee80211_hdr *)skb->data)->frame_control) +
	       (wt_protected(skb) ? IEEE80211_CCMP_HDR_LEN : 0);
}

/* The MSDU of the same MPDU that comes after this one, or NULL. */
static inline struct sk_buff *wt_next_msdu(struct sk_buff *skb)
{
	return wt_frame(skb)->more ? wt_frame(skb)->next : NULL;
}

#define WT_SUBFRAME	14	/* an MSDU's header within an A-MSDU: destination, source, length (802.11-2016, 9.3.2.2.2) */

/* Octets of an MSDU with that header. */
static inline u32 wt_subframe_len(const struct sk_buff *skb)
{
	return WT_SUBFRAME + skb->len - wt_header_len(skb);
}

/* An MPDU of this frame alone, as it is on the air: ath9k's framelen (setup_frame_info: skb->len, FCS_LEN and the key's icv_len). */
static inline u32 wt_frame_len(const struct sk_buff *skb)
{
	return skb->len + FCS_LEN + (wt_protected(skb) ? WT_CCMP_MIC : 0);
}

/* An MPDU that is to be sent, with all of its MSDUs. */
static inline u32 wt_mpdu_len(struct sk_buff *skb)
{
	u32 around = wt_frame_len(skb) - skb->len + wt_header_len(skb), len = wt_subframe_len(skb);

	if (!wt_frame(skb)->more)
		return wt_frame_len(skb);
	while ((skb = wt_next_msdu(skb)))
		len = ALIGN(len, 4) + wt_subframe_len(skb);
	return len + around;
}

static inline void wt_frame_init(struct sk_buff *skb)
{
	struct wt_frame *f = wt_frame(skb);

	memset(f, 0, sizeof(*f));
	f->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(((struct ieee80211_hdr *)skb->data)->seq_ctrl));
}

struct wt_ppdu {
	struct list_head list;
	struct wt_tid *tid;		/* NULL: not a data frame of a known station */
	struct ieee80211_sta *sta;
	struct ieee80211_vif *vif;
	struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
	struct wt_rate_set set;		/* what they are of, if of one */
	u64 ready;			/* when it was handed to the hardware */
	u32 bytes;			/* PSDU: delimiters, MPDUs, padding */
	u8 chain;			/* rate in use */
	u8 tries;			/* at that rate */
	u8 attempts;			/* in all */
	u8 rts_failures;
	u16 n;
	bool back_req;			/* the frame is a BAR: mac80211's, or ath9k_htc's firmware's */
	struct wt_tid *asks;		/* the latter's TID (driver/htc_bar.c) */
	u8 asked;			/* how often the hardware gave it up */
	bool probe;			/* goes out alone, to try a rate */
	bool unit;			/* of ath9k_htc's firmware, which completes it */
	bool answered;			/* what the hardware said of it, until then */
	u8 ac;
	bool ampdu;			/* MPDUs of a Block Ack session (even if only one) */
	bool aggr;			/* an A-MPDU: answered by a Block Ack */
	bool no_ack;
	bool beacon;
	bool wide;			/* what a Block Ack answers with has 256 bits */
	bool bar;			/* its turn is used for a BAR: the last aggregate got no answer */
	DECLARE_BITMAP(acked, WT_MAX_MPDUS);	/* mpdu[i] arrived */
	struct sk_buff *mpdu[WT_MAX_MPDUS];
};

static inline struct wt_ppdu *wt_ppdu_new(void)
{
	return kzalloc(sizeof(struct wt_ppdu), GFP_ATOMIC);
}

static inline void wt_ppdu_free(struct wt_ppdu *p)
{
	kfree(p);
}

/* An MPDU, with all of its MSDUs. */
static inline void wt_frame_free(struct sk_buff *skb)
{
	while (skb) {
		struct sk_buff *next = wt_next_msdu(skb);

		dev_kfree_skb_any(skb);
		skb = next;
	}
}

static inline void wt_ppdu_free_all(struct wt_ppdu *p)
{
	int i;

	for (i = 0; i < p->n; i++)
		wt_frame_free(p->mpdu[i]);
	wt_ppdu_free(p);
}

static inline unsigned int wt_ppdu_acked(const struct wt_ppdu *p)
{
	return bitmap_weight(p->acked, WT_MAX_MPDUS);
}

/* Its station goes away (all of them: NULL). */
static inline void wt_ppdu_forget(struct wt_ppdu *p, const struct ieee80211_sta *sta)
{
	if (sta && p->sta != sta)
		return;
	p->sta = NULL;
	p->tid = p->asks = NULL;
}

static inline const u8 *wt_ppdu_to(const struct wt_ppdu *p)
{
	return ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1;
}

#endif
