// SPDX-License-Identifier: GPL-2.0
/*
 * block_ack: the sender's half of a Block Ack session: the window, what is tried again, what is given up.
 *
 * Source: IEEE 802.11-2016, 10.24.7 (HT-immediate Block Ack); drivers/net/wireless/ath/ath9k/xmit.c:
 *   ath_tx_addto_baw, ath_tx_update_baw, ath_tx_complete_aggr, ath_tx_set_retry, ath_send_bar.
 * The receiver's half, reordering and its 100 ms timeout, is mac80211's own (net/mac80211/rx.c, agg-rx.c).
 * Acknowledged and abandoned frames are handed back; failed ones keep their memory, and with it their charge to
 * the socket, and go to the tail of retry_q, or where their number is (wt_ba_keep).
 * Differs:
 *   D1  frames of an ended session are dropped as in ath9k, but no BAR follows: the DELBA tells the receiver.
 */
#include "air/medium.h"
#include "air/phy.h"
#include "air/rx.h"
#include "driver.h"
#include "mpdu/block_ack.h"
#include "mpdu/rate_set.h"
#include "mpdu/status.h"

struct bar {
	struct list_head list;
	struct ieee80211_vif *vif;
	u8 addr[ETH_ALEN];
	u8 tid;
	u16 ssn;
};

static LIST_HEAD(due);	/* BARs, to be sent after unlocking */

static u16 offset(const struct wt_tid *tid, u16 seq)
{
	return (seq - tid->seq_start) & IEEE80211_SN_MASK;
}

void wt_ba_start(struct wt_tid *tid, u16 ssn)
{
	tid->active = true;
	tid->seq_start = ssn;
	tid->bar_due = false;
	bitmap_zero(tid->baw, WT_BAW_BITS);
	tid->baw_head = tid->baw_tail = 0;
}

/* The receiver was told by a BAR to expect nothing before bar_seq: ath9k's bar_index. */
bool wt_ba_given_up(struct wt_tid *tid, u16 seq)
{
	if (tid->bar_due && offset(tid, tid->bar_seq) > tid->baw_size)
		tid->bar_due = false;	/* the window has passed it */
	return tid->bar_due && offset(tid, seq) < offset(tid, tid->bar_seq);
}

bool wt_ba_within(const struct wt_tid *tid, u16 seq)
{
	return offset(tid, seq) < tid->baw_size;
}

void wt_ba_add(struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_frame *f = wt_frame(skb);
	u16 index = offset(tid, f->seq), at = (tid->baw_head + index) % WT_BAW_BITS;

	if (f->baw_tracked)
		return;
	f->baw_tracked = true;
	__set_bit(at, tid->baw);
	if (index >= (u16)(tid->baw_tail - tid->baw_head) % WT_BAW_BITS)
		tid->baw_tail = (at + 1) % WT_BAW_BITS;
}

void wt_ba_complete(struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_frame *f = wt_frame(skb);

	if (!f->baw_tracked)
		return;
	f->baw_tracked = false;
	__clear_bit((tid->baw_head + offset(tid, f->seq)) % WT_BAW_BITS, tid->baw);
	while (tid->baw_head != tid->baw_tail && !test_bit(tid->baw_head, tid->baw)) {
		tid->seq_start = (tid->seq_start + 1) & IEEE80211_SN_MASK;
		tid->baw_head = (tid->baw_head + 1) % WT_BAW_BITS;
	}
}

/* The last of the window gives its number back. */
void wt_ba_unassign(struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_frame *f = wt_frame(skb);
	u16 at = (tid->baw_head + offset(tid, f->seq)) % WT_BAW_BITS;

	if (!f->baw_tracked)
		return;
	f->baw_tracked = false;
	__clear_bit(at, tid->baw);
	if ((at + 1) % WT_BAW_BITS == tid->baw_tail)
		tid->baw_tail = at;
}

/* A frame waits to be sent, again or for the first time: ath9k's behind all that do (ath_tx_get_tid_subframe, ath_tx_complete_aggr). */
void wt_ba_keep(const struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	struct sk_buff *before;

	if (!r->driver->in_order) {
		__skb_queue_tail(&tid->retry_q, skb);
		return;
	}
	skb_queue_reverse_walk(&tid->retry_q, before)
		if (ieee80211_sn_less(wt_frame(before)->seq, wt_frame(skb)->seq))
			break;
	__skb_queue_after(&tid->retry_q, before, skb);
}

/* A frame that has a number is given another. */
void wt_ba_renumber(struct sk_buff *skb, u16 seq)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (!ieee80211_is_data_qos(hdr->frame_control))
		return;
	hdr->seq_ctrl = cpu_to_le16(IEEE80211_SN_TO_SEQ(seq) | (le16_to_cpu(hdr->seq_ctrl) & IEEE80211_SCTL_FRAG));
	wt_frame(skb)->seq = seq;
}

/* A frame that mac80211 numbered: the number that the card gives it. */
void wt_ba_number(struct wt_tid *tid, struct sk_buff *skb)
{
	if (tid->unused)
		wt_ba_renumber(skb, (wt_frame(skb)->seq - tid->unused) & IEEE80211_SN_MASK);
}

/* ath_tx_rc_status: the rates tried, on the frame that carries the report */
static void report(struct wt_radio *r, struct wt_ppdu *p, struct sk_buff *skb, int n_acked)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	int i;

	memset((void *)&info->status + sizeof(info->status.rates), 0,
	       sizeof(info->status) - sizeof(info->status.rates) - sizeof(info->status.status_driver_data));
	memcpy(info->status.rates, p->rates, sizeof(info->status.rates));
	if (n_acked)
		info->status.ack_signal = wt_rx_signal(wt_receiver(r, ((struct ieee80211_hdr *)skb->data)->addr1), r, wt_air.busy_since);
	if (p->ampdu)
		info->flags |= IEEE80211_TX_STAT_AMPDU;
	/* of eight bits: 256 would be none, by which rate control divides */
	info->status.ampdu_len = min_t(u16, p->n, U8_MAX);
	info->status.ampdu_ack_len = min(n_acked, U8_MAX);
	info->status.rates[p->chain].count = max_t(u8, p->tries, 1);	/* ts_longretry + 1, even if only RTSs went out */
	for (i = p->chain + 1; i < IEEE80211_TX_MAX_RATES; i++)
		info->status.rates[i].idx = -1;
}

static void queue_bar(struct wt_ppdu *p, u16 ssn)
{
	struct bar *bar = kzalloc(sizeof(*bar), GFP_ATOMIC);

	if (!bar)
		return;
	bar->vif = p->vif;
	bar->tid = p->tid->txq->tid;
	bar->ssn = ssn;
	ether_addr_copy(bar->addr, p->sta->addr);
	list_add_tail(&bar->list, &due);
}

/* Those that are due, moved to `bars`. */
void wt_ba_take_bars(struct list_head *bars)
{
	list_splice_init(&due, bars);
}

/* Without the lock. */
void wt_ba_send_bars(struct list_head *bars)
{
	struct bar *bar, *next;

	list_for_each_entry_safe(bar, next, bars, list) {
		ieee80211_send_bar(bar->vif, bar->addr, bar->tid, IEEE80211_SN_TO_SEQ(bar->ssn));
		kfree(bar);
	}
}

static void count_airtime(struct wt_radio *r, struct wt_ppdu *p)
{
	u64 ns = 0;
	int i;

	for (i = 0; i <= p->chain; i++)
		ns += wt_phy_counted_ns(wt_band(r), &p->rates[i], p->bytes) * (i == p->chain ? p->tries : p->rates[i].count);
	ieee80211_sta_register_airtime(p->sta, p->tid->txq->tid, div_u64(ns, 1000), 0);
}

/*
 * A PPDU is over: answered (p->acked says which MPDUs arrived) or tried in vain at every rate of its chain.
 * ath_tx_complete_aggr and, for a frame outside a session, ath_tx_process_buffer.
 */
void wt_ba_response(struct wt_radio *r, struct wt_ppdu *p, bool response)
{
	int i, n_acked = response ? wt_ppdu_acked(p) : 0, last_given_up = -1;
	u16 first = p->tid ? p->tid->seq_start : 0;
	unsigned int len = wt_mpdu_len(p->mpdu[0]);
	bool given_up, reported = false, sets = wt_rate_set_used(r) && p->tid && p->sta;
	struct sk_buff_head retry;

	if (p->beacon) {
		dev_kfree_skb_any(p->mpdu[0]);
		return;
	}
	__skb_queue_head_init(&retry);
	if (p->tid && p->sta && r->driver->tx_airtime && !r->driver->frame_airtime)
		count_airtime(r, p);
	for (i = 0; i < p->n; i++) {
		struct sk_buff *skb = p->mpdu[i];
		struct wt_frame *f = wt_frame(skb);
		bool ok = p->no_ack || (response && test_bit(i, p->acked));

		if (!ok && p->ampdu && p->tid && p->tid->active && wt_ba_within(p->tid, f->seq) &&
		    f->attempts < wt_p.retries[r->driver->mode]) {
			struct sk_buff *msdu = skb;

			f->attempts += r->driver->counts_chains ? 1 : p->attempts;
			for (; msdu; msdu = wt_next_msdu(msdu))
				((struct ieee80211_hdr *)msdu->data)->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
			__skb_queue_tail(&retry, skb);
			r->count.failed_mpdus++;
			continue;
		}
		if (ok)
			r->count.acked_mpdus++;
		else
			r->count.dropped_mpdus++;
		if (!ok && p->ampdu && p->tid && wt_ba_within(p->tid, f->seq))
			last_given_up = max_t(int, last_given_up, (f->seq - first) & IEEE80211_SN_MASK);
		if (sets && p->ampdu) {
			wt_rate_set_report(p, skb, ok);
		} else if (!reported) {
			report(r, p, skb, p->ampdu ? n_acked : ok);
			reported = true;
			if (sets)
				wt_rate_set_over(p);
		}
		if (p->tid && p->ampdu)
			wt_ba_complete(p->tid, skb);
		if (p->tid && p->sta && r->driver->frame_airtime)
			for (struct sk_buff *msdu = skb; msdu; msdu = wt_next_msdu(msdu))
				ieee80211_sta_register_airtime(p->sta, p->tid->txq->tid, r->driver->frame_airtime(r, p, msdu), 0);
		wt_status_done(r, skb, ok);
	}
	given_up = last_given_up >= 0 && p->tid && p->sta && p->tid->active;
	if (given_up && r->driver->ask)
		r->driver->ask(r, p);
	if (p->tid)
		r->driver->again(r, p->tid, &retry, len);
	if (given_up && !r->driver->ask) {
		p->tid->bar_seq = (first + last_given_up + 1) & IEEE80211_SN_MASK;
		p->tid->bar_due = true;
		queue_bar(p, p->tid->bar_seq);
	}
}

/* The session or the station is gone: what waited is handed back unsent (ath_tx_flush_tid). */
void wt_ba_flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb;

	tid->active = false;
	while ((skb = __skb_dequeue(&tid->retry_q))) {
		wt_ba_complete(tid, skb);
		r->count.dropped_mpdus++;
		wt_status_done(r, skb, false);
	}
}
