/* SPDX-License-Identifier: GPL-2.0 */
/*
 * driver: what the device of a radio and its driver are told by the layers below them, and by mac.c above.
 *
 * All under the lock; what may be NULL says so.
 */
#ifndef WAVETANK_RADIO_DRIVER_H
#define WAVETANK_RADIO_DRIVER_H

#include "radio.h"

struct wt_picker {			/* takes frames out of a driver's queues (ack/hack.c) */
	bool (*wants)(struct sk_buff *skb);
	bool (*takes)(struct wt_radio *r, struct sk_buff *skb);	/* false: that one stays, and all behind it */
};

struct wt_driver {
	/* what it is like */
	int mode;			/* enum wt_mode */
	const unsigned int *max_frames;	/* MPDUs an aggregate may hold */
	unsigned int rx_ring;		/* frames that wait for the host's CPU in the card's ring */
	u32 shortest;			/* octets of a subframe; delimiters fill up what is shorter */
	u32 (*delimiters)(u32 len);	/* behind a subframe of HT, whatever its receiver's density; NULL: as ath9k */
	bool counts_chains;		/* as one attempt of an MPDU each */
	u8 short_retries;		/* dot11ShortRetryLimit: of the contention window, and of an RTS; 0: window_limit and rts_limit, as ath9k */
	bool sent_once;			/* an aggregate at a fixed rate: what nobody answers is formed anew, and the contention window stays as it is */
	bool one_depth;			/* single frames stand in the hardware as aggregates do; else as many as ath9k's */
	bool rts;			/* before data where rts=1 says so; a firmware that chooses does not */
	bool tx_airtime, rx_airtime;	/* reported to mac80211; received: by the driver, of each MPDU as if it had come alone */
	bool rx_ppdu_airtime;		/* received: counted by the hardware, of each PPDU */
	u32 (*frame_airtime)(const struct wt_radio *r, const struct wt_ppdu *p, const struct sk_buff *skb);	/* us of a frame that is over, reported in
										 * place of the PPDU's; may be NULL */
	bool aql;
	bool makes_ccmp;		/* the CCMP header, too, not the MIC alone: mac80211 leaves no room for it */
	bool in_order;			/* what it sends again goes by its numbers; else, as in ath9k, behind all that wait */
	bool within_txop;		/* an aggregate lasts no longer than its category's TXOP limit */
	bool txop_holds_all;		/* what protects and answers it included */
	bool whole_ppdus;		/* max_us is of all that a PPDU takes, at 2.4 GHz with its signal extension, of which ath9k's tables know nothing */
	bool half_window;		/* of CWmin */
	bool blind;			/* the host does not see what waits in the device */
	bool amsdus;			/* it takes A-MSDUs within A-MPDUs */
	bool cuts;			/* it gathers and computes checksums, and cuts super-packets (iwl-config.h IWL_TX_CSUM_NETIF_FLAGS) */
	bool napi;			/* its host polls: received frames go up merged */
	bool asks_sessions;		/* of Block Ack, for each TID that it has sent of; else rate control does, but not for voice */
	bool rate_sets;			/* where mac80211 chooses, the hardware goes through a set of its rates (mpdu/rate_set.c) */
	bool chooses_rates;		/* HAS_RATE_CONTROL, where rates are fixed: mac80211's own asks for no sessions then, so it does */
	void (*fixed_chain)(struct ieee80211_tx_rate *rates);	/* below a fixed MCS; NULL: nothing */
	u32 (*longest)(const struct ieee80211_tx_rate *rate);	/* octets of an aggregate at a rate of HT; NULL: what max_us has room for */

	/* coming and going; each may be NULL */
	int (*init)(struct wt_radio *r);
	void (*purge)(struct wt_radio *r);
	void (*beacons)(struct wt_radio *r, bool on);	/* it sends beacons from now on, or no more; NULL: nothing to it */

	/* mac80211 */
	void (*wake)(struct wt_radio *r, struct ieee80211_txq *txq);	/* a TXQ has frames */
	u16 (*session)(struct wt_tid *tid, u16 ssn);	/* a Block Ack session begins: its first number; NULL: ssn */
	void (*session_over)(struct wt_radio *r, struct wt_tid *tid);	/* may be NULL */
	void (*flush)(struct wt_radio *r, struct wt_tid *tid);	/* a TXQ goes away (all of them: NULL); may be NULL */
	void (*forget)(struct wt_radio *r, struct ieee80211_sta *sta);	/* a station (all: NULL); may be NULL */
	void (*work)(struct wt_radio *r);	/* what it has asked for by `worker`; NULL: it does not */
	void (*completed)(struct wt_radio *r);	/* something happened, somewhere; may be NULL */
	void (*polled)(struct wt_radio *r);	/* its host was handed received frames, or its own back; may be NULL */
	void (*freed)(struct wt_radio *r);	/* its host was handed frames of its own back; may be NULL */

	/* mpdu/ */
	struct sk_buff *(*dequeue)(struct wt_radio *r, struct wt_tid *tid);	/* the next new frame; NULL: the TID's fw_q */
	void (*formed)(struct wt_radio *r, int ac, struct wt_ppdu *p);
	void (*again)(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len);	/* to be sent again (maybe
										 * none), of a PPDU whose first frame had `len` */
	void (*ask)(struct wt_radio *r, const struct wt_ppdu *p);	/* MPDUs of it were given up: a BAR by the device; NULL: mac80211's */
	bool (*settled)(struct wt_radio *r, struct sk_buff *skb);	/* a frame of its own queue is over; true: it hands it back */
	void (*schedule)(struct wt_radio *r, int ac);	/* the hardware has room; NULL: it sees to it by itself */
	void (*seize)(struct wt_radio *r, const struct wt_picker *pick);	/* NULL: it cannot */

	/* air/ */
	void (*done)(struct wt_radio *r, int q, struct wt_ppdu *p, bool response);	/* the hardware is done with it */
	void (*came)(struct wt_radio *r, struct sk_buff *skb, u64 ended);	/* a frame, whose last bit was in the air then */

	/* clock.c; both or none */
	u64 (*due)(const struct wt_radio *r);	/* U64_MAX: nothing is */
	void (*step)(struct wt_radio *r, u64 now);
};

extern const struct wt_driver wt_ath9k, wt_ath9k_htc, wt_ath10k, wt_ath9k_tidq, wt_mt76, wt_iwlwifi;

#endif
