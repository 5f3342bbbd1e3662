// SPDX-License-Identifier: GPL-2.0
/*
 * ath10k (mode 2): a deep FIFO of MSDU descriptors. The driver pushes from the TXQs while descriptors are free, again with each poll for
 * received frames or completions while fewer than half are in use. AQL is what keeps it from swallowing the TXQs; mac80211 does that by itself, once the card says that it
 * has it (card.c).
 *
 * Source: drivers/net/wireless/ath/ath10k/mac.c ath10k_mac_op_wake_tx_queue, ath10k_mac_tx_push_pending; htt_rx.c
 *   ath10k_htt_txrx_compl_task; htt_tx.c ath10k_htt_tx_inc_pending; txrx.c ath10k_txrx_tx_unref; hw.h TARGET_10X_NUM_MSDU_DESC (1424), TARGET_TLV_NUM_MSDU_DESC (1056).
 * Differs:
 *   D1  the firmware is taken to do as the model has it (crates/core/src/driver/offload): A-MSDUs of what waits, A-MPDUs of what the window and the
 *       limits let in, those of a TXOP among them (802.11-2016, 10.22.2.8, but that one MPDU always goes), stations in turn; mpdu/ampdu.c,
 *       amsdu.c, fifo.c.
 *   D2  MSDUs are counted, not the bytes that ath10k's firmware may limit as well.
 *   D3  a poll for received frames ends when mac80211 has them, not when a host that takes time is through; when the firmware asks for a
 *       beacon, which is a poll, too, is not known.
 *   D4  with a fixed rate the card has HAS_RATE_CONTROL, as ath10k has always, and AQL reckons with that rate; where a rate control is
 *       named for it, that is mac80211's.
 *   D5  airtime is registered as each PPDU ends, whatever report_us is.
 */
#include "air/medium.h"
#include "air/phy.h"
#include "air/rx.h"
#include "driver/fifo.h"
#include "mpdu/amsdu.h"
#include "mpdu/tx.h"

static bool room(const struct wt_radio *r)
{
	return r->fifo_used < wt_p.fifo[WT_ATH10K];
}

static void take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	__skb_queue_tail(&tid->fw_q, skb);
	wt_fifo_turn(r, tid);
}

static void pull(struct wt_radio *r, int ac, bool all)
{
	wt_fifo_pull(r, ac, all, room, take);
	wt_tx_schedule(r, ac);
}

/* The end of a poll, which received frames or completions brought (ath10k_htt_txrx_compl_task): room for more? */
static void polled(struct wt_radio *r)
{
	int ac;

	if (r->fifo_used < wt_p.fifo[WT_ATH10K] / 2)
		for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
			pull(r, ac, true);
}

/* ath10k_mac_op_wake_tx_queue: whoever's turn it is, and no one else */
static void wake(struct wt_radio *r, struct ieee80211_txq *txq)
{
	pull(r, txq->ac, false);
}

#define OVERHEAD_IFS	16	/* mac.c IEEE80211_ATF_OVERHEAD_IFS, us */

/* ath10k_mac_update_airtime: what the frame takes at the last rate, and what each costs that is sent alone. htt_rx.c
 * ath10k_update_per_peer_tx_stats asks for the rate before it notes the short guard interval, and has a legacy rate in Mbit/s.
 */
static u32 frame_airtime(const struct wt_radio *r, const struct wt_ppdu *p, const struct sk_buff *skb)
{
	const struct ieee80211_tx_rate *rate = &p->rates[0];
	struct rate_info info = wt_phy_rate_info(rate);
	u32 bitrate = wt_phy_legacy_rate(wt_band(r), rate->idx) / 10;

	if (wt_phy_aggregates(rate)) {
		info.flags &= ~RATE_INFO_FLAGS_SHORT_GI;
		bitrate = cfg80211_calculate_bitrate(&info);
	}
	return (skb->len + 38) * 8 * (1000 / 100) / bitrate + OVERHEAD_IFS;
}

const struct wt_driver wt_ath10k = {
	.mode = WT_ATH10K,
	.rx_ring = 1023,	/* htt.h HTT_RX_RING_FILL_LEVEL */
	.max_frames = &wt_p.fifo_frames[WT_ATH10K],
	.counts_chains = true,
	.one_depth = true,
	.whole_ppdus = true,
	.in_order = true,
	.tx_airtime = true,
	.frame_airtime = frame_airtime,
	.aql = true,
	.makes_ccmp = true,
	.within_txop = true,	/* mac.c ath10k_conf_tx; wmi.h mpdus_truncated, txop_ovf */
	.txop_holds_all = true,
	.amsdus = true,		/* its firmware asks for Block Ack sessions (mac.c ath10k_ampdu_action), with A-MSDUs (htt.c ath10k_htt_setup) */
	.napi = true,		/* htt_rx.c ath10k_process_rx */
	.chooses_rates = true,	/* mac.c ath10k_mac_register */
	.wake = wake,
	.polled = polled,
	.dequeue = wt_amsdu_dequeue,
	.formed = wt_medium_offer,
	.ask = wt_fifo_ask,
	.again = wt_fifo_again,
	.settled = wt_fifo_settled,
	.due = wt_fifo_due,
	.step = wt_fifo_report,
	.purge = wt_fifo_purge,
	.schedule = wt_fifo_feed,
	.done = wt_fifo_done,
	.came = wt_rx_arrived,
};
