// SPDX-License-Identifier: GPL-2.0
/*
 * htc_bar: BARs of ath9k_htc's firmware: after a unit of which frames were given up it tells the receiver where the window begins, and sends
 * nothing else of that TID until the receiver has answered.
 *
 * One that the hardware has given up ends the session: it goes on counting from the frame that was given up, which has had all its retries. The host
 * does not listen (ath9k/wmi.c has no case for WMI_DELBA_EVENTID), so mac80211 keeps the session, and the TID's frames are single from then on.
 *
 * Source: open-ath9k-htc-firmware 1.4, if_owl.c: ath_bar_tx (the first frame that was given up leaves it its buffer; four series of ATH_TXMAXTRY
 *   tries at 6 Mbit/s), ath_bar_tx_comp, ath_bar_retry, ath_tgt_delba_send; if_athvar.h OWLMAX_BAR_RETRIES.
 * Differs:
 *   D1  what is dropped as a session ends leaves a hole in the numbers, where the firmware gives them anew; and what is in hardware then is over with the
 *       status that its answer gives, an aggregate's too.
 */
#include "air/phy.h"
#include "driver/fifo.h"
#include "driver/htc_bar.h"
#include "driver/htc_state.h"
#include "driver/htc_usb.h"
#include "mpdu/block_ack.h"
#include "mpdu/tx.h"

#define TRIES	11	/* ATH_TXMAXTRY */
#define RETRIES	10	/* OWLMAX_BAR_RETRIES */
#define RATE	60	/* min_rate 0x0b: 6 Mbit/s */

static struct sk_buff *frame(const struct wt_ppdu *of)
{
	struct sk_buff *skb = dev_alloc_skb(sizeof(struct ieee80211_hdr));	/* a BAR's is shorter; all is looked at (mpdu/tx.c wt_tx_single) */
	struct ieee80211_bar *bar;

	if (!skb)
		return NULL;
	skb_put_zero(skb, sizeof(struct ieee80211_hdr));
	skb_trim(skb, sizeof(*bar));
	bar = (void *)skb->data;
	bar->frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL | IEEE80211_STYPE_BACK_REQ);
	ether_addr_copy(bar->ra, of->sta->addr);
	ether_addr_copy(bar->ta, of->vif->addr);
	bar->control = cpu_to_le16(IEEE80211_BAR_CTRL_CBMTID_COMPRESSED_BA | of->tid->txq->tid << IEEE80211_BAR_CTRL_TID_INFO_SHIFT);
	bar->start_seq_num = cpu_to_le16(IEEE80211_SN_TO_SEQ(of->tid->seq_start));
	memset(skb->cb, 0, sizeof(skb->cb));
	return skb;
}

static void rates(const struct wt_radio *r, struct ieee80211_tx_rate *rates)
{
	int i, idx = 0;

	while (wt_phy_legacy_rate(wt_band(r), idx) != RATE)
		idx++;
	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++)
		rates[i] = (struct ieee80211_tx_rate) { .idx = idx, .count = TRIES };
}

/* ath_bar_tx: MPDUs of p were given up. Without memory nobody is told, and the receiver's timer sees to it. */
void wt_htc_bar(struct wt_radio *r, const struct wt_ppdu *p)
{
	struct wt_ppdu *bar = wt_ppdu_new();
	struct sk_buff *skb = bar ? frame(p) : NULL;

	if (!skb) {
		kfree(bar);
		return;
	}
	bar->sta = p->sta;
	bar->vif = p->vif;
	bar->asks = p->tid;
	bar->unit = true;
	bar->asked = wt_p.retries[WT_ATH9K_HTC];	/* it counts on from the frame that was given up */
	rates(r, bar->rates);
	wt_tx_single(bar, skb);
	p->tid->asks = true;
	r->htc->buffers--;
	wt_htc_push(r, p->tid->txq->ac, bar);
}

/* ath_tgt_delba_send, ath_tgt_tx_cleanup: what waits has no status, and comes back as such frames do */
static void end(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_htc *h = r->htc;
	struct sk_buff_head told;

	__skb_queue_head_init(&told);
	skb_queue_splice_init(&h->settled, &told);
	skb_queue_splice_tail_init(&tid->fw_q, &tid->retry_q);
	wt_ba_flush(r, tid);
	wt_htc_usb_lost(r, wt_now);
	skb_queue_splice_init(&told, &h->settled);
}

/* ath_bar_tx_comp, ath_bar_retry: the hardware is done with one. Whether what waited behind it has a unit of its own (ath_aggr_resume_tid). */
bool wt_htc_bar_over(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	bool resumes;

	if (!p->answered && p->asks && p->asked < RETRIES) {
		p->asked++;
		p->chain = p->tries = p->attempts = 0;
		wt_htc_push(r, ac, p);
		return false;
	}
	r->htc->buffers++;
	resumes = p->asks && p->answered && wt_fifo_waits(p->asks);
	if (p->asks && !p->answered)
		end(r, p->asks);
	if (p->asks) {
		p->asks->asks = false;
		if (wt_fifo_waits(p->asks))
			wt_fifo_turn(r, p->asks);
	}
	wt_ppdu_free_all(p);
	return resumes;
}
