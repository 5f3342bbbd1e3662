// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: devices with a queue of their own below mac80211, from which their firmware forms the aggregates: how it is filled and emptied.
 */
#include <linux/unaligned.h>
#include "driver/fifo.h"
#include "mpdu/bar.h"
#include "mpdu/block_ack.h"
#include "mpdu/rate_set.h"
#include "mpdu/status.h"
#include "mpdu/tx.h"

/*
 * The CCMP header of a frame whose mac80211 has left it to the card: 802.11-2016, 12.5.3.2. So it is no part of what waits in a TXQ, and AQL does
 * not count it. False: no memory.
 */
bool wt_fifo_cipher(struct sk_buff *skb)
{
	struct ieee80211_key_conf *key = IEEE80211_SKB_CB(skb)->control.hw_key;
	struct ieee80211_hdr *hdr = (void *)skb->data;
	unsigned int before = ieee80211_hdrlen(hdr->frame_control);
	u64 pn;
	u8 *ccmp;

	if (!key || !wt_protected(skb) || key->flags & IEEE80211_KEY_FLAG_GENERATE_IV)
		return true;
	if (skb_cow_head(skb, IEEE80211_CCMP_HDR_LEN))
		return false;
	ccmp = skb_push(skb, IEEE80211_CCMP_HDR_LEN);
	memmove(ccmp, ccmp + IEEE80211_CCMP_HDR_LEN, before);
	ccmp += before;
	pn = atomic64_inc_return(&key->tx_pn);
	put_unaligned_le16(pn, ccmp);
	ccmp[2] = 0;
	ccmp[3] = 0x20 | key->keyidx << 6;	/* ExtIV */
	put_unaligned_le32(pn >> 16, ccmp + 4);
	return true;
}

/* From the TXQs into the device, as far as it has room: one round, or of one turn only. How many frames came. */
unsigned int wt_fifo_pull(struct wt_radio *r, int ac, bool all, bool (*room)(const struct wt_radio *r),
			  void (*take)(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb))
{
	struct ieee80211_txq *txq;
	struct sk_buff *skb;
	unsigned int n = 0;

	if (!r->started)
		return 0;
	rcu_read_lock();
	ieee80211_txq_schedule_start(r->hw, ac);
	while ((txq = ieee80211_next_txq(r->hw, ac))) {
		struct wt_tid *tid = wt_tid_of(txq);

		while (room(r) && (skb = ieee80211_tx_dequeue(r->hw, txq))) {
			const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);

			if (wt_rate_set_used(r) && txq->sta && info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE)
				wt_rate_set_probe(txq->sta, &info->control.rates[0]);
			if (!wt_fifo_cipher(skb)) {
				ieee80211_free_txskb(r->hw, skb);
				continue;
			}
			wt_frame_init(skb);
			wt_frame(skb)->in_fifo = true;
			r->fifo_used++;
			r->count.fifo_max = max_t(u64, r->count.fifo_max, r->fifo_used);
			take(r, tid, skb);
			n++;
		}
		ieee80211_return_txq(r->hw, txq, false);
		if (!all)
			break;
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
	return n;
}

/* Whether the firmware has frames of a TID to send. */
bool wt_fifo_waits(const struct wt_tid *tid)
{
	return !skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q);
}

/* The TID's turn comes after all that wait (the published firmware's ath_tgt_tx_enqueue, for retries, too). */
void wt_fifo_turn(struct wt_radio *r, struct wt_tid *tid)
{
	if (!tid->asks && list_empty(&tid->fw_list))
		list_add_tail(&tid->fw_list, &r->fw_tids[tid->txq->ac]);
}

/* A frame of it is over: its descriptor is free once the host is told, which completions that gather are from the first on. */
bool wt_fifo_settled(struct wt_radio *r, struct sk_buff *skb)
{
	u32 us = wt_p.report_us[r->driver->mode];

	if (!us) {
		r->fifo_used--;
		return false;
	}
	if (!r->report_at)
		r->report_at = wt_now + us * 1000ull;
	__skb_queue_tail(&r->unreported, skb);
	return true;
}

u64 wt_fifo_due(const struct wt_radio *r)
{
	return r->report_at ?: U64_MAX;
}

/* The host is told. */
void wt_fifo_report(struct wt_radio *r, u64 now)
{
	struct sk_buff *skb;

	r->report_at = 0;
	while ((skb = __skb_dequeue(&r->unreported))) {
		r->fifo_used--;
		wt_status_hand_back(skb);
	}
}

void wt_fifo_purge(struct wt_radio *r)
{
	__skb_queue_purge(&r->unreported);
}

/* A PPDU of the TID is over. What failed goes first, at the TID's next turn. */
void wt_fifo_again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	struct sk_buff *skb;

	if (tid->in_hw)
		tid->in_hw--;
	while ((skb = __skb_dequeue(failed)))
		wt_ba_keep(r, tid, skb);
	if (wt_fifo_waits(tid))
		wt_fifo_turn(r, tid);
}

/* The firmware: TIDs take turns. */
void wt_fifo_feed(struct wt_radio *r, int ac)
{
	unsigned int idle = 0, rounds = list_count_nodes(&r->fw_tids[ac]);
	struct wt_tid *tid;

	rcu_read_lock();
	/* a frame is looked at once there is room for it: one that is put back, as ath9k does, would come behind those that were behind it */
	while (!wt_tx_full(r, ac, true) &&
	       (tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list))) {
		bool ready = !tid->asks && tid->in_hw < wt_p.tid_depth[r->driver->mode], sent = ready && wt_tx_tid(r, ac, tid);

		tid->in_hw += sent;
		if (ready && wt_fifo_waits(tid))	/* else a completion gives it its turn */
			list_move_tail(&tid->fw_list, &r->fw_tids[ac]);
		else
			list_del_init(&tid->fw_list);
		/* a TID whose window is shut yields to the next; a full round without a PPDU ends it */
		idle = sent ? 0 : idle + 1;
		if (idle > rounds)
			break;
	}
	rcu_read_unlock();
}

/* MPDUs of p were given up: the firmware tells the receiver, behind what stands ready. */
void wt_fifo_ask(struct wt_radio *r, const struct wt_ppdu *p)
{
	struct wt_ppdu *bar = wt_bar_new(r, p);

	if (bar)
		r->driver->formed(r, p->tid->txq->ac, bar);
}

/* The hardware is done with a PPDU. After a BAR, answered or not (once more, as often as it may be), its TID goes on. */
void wt_fifo_done(struct wt_radio *r, int q, struct wt_ppdu *p, bool response)
{
	if (!p->unit) {
		wt_tx_over(r, q, p, response);
		return;
	}
	if (p->asks && !response && p->asked < WT_BAR_RETRIES) {
		p->asked++;
		p->chain = p->tries = p->attempts = 0;
		r->driver->formed(r, q, p);
		return;
	}
	if (p->asks) {
		p->asks->asks = false;
		if (wt_fifo_waits(p->asks))
			wt_fifo_turn(r, p->asks);
	}
	wt_ppdu_free_all(p);
	wt_tx_schedule(r, q);
}
