// SPDX-License-Identifier: GPL-2.0
/*
 * mt76 (mode 4): a worker pulls from the TXQs of every category, each until it gives nothing more, in rounds until one brings nothing. Nothing
 * but AQL and the device's tokens ends a turn. It runs when a TXQ has frames and when frames of its own are freed, not for received ones.
 *
 * Source: drivers/net/wireless/mediatek/mt76/tx.c mt76_wake_tx_queue, mt76_txq_schedule_all, mt76_txq_schedule, mt76_txq_schedule_list,
 *   mt76_txq_send_burst, mt76_token_consume; mt7915/mac.c mt7915_mac_tx_free, mt7915_mac_sta_poll; mt76_connac_mac.c
 *   mt76_connac2_mac_write_txwi (MT_TXD3_REM_TX_COUNT 15).
 * Differs:
 *   D1  the firmware is taken to do as the model has it (crates/core/src/driver/offload): A-MSDUs of what waits, A-MPDUs of what the window and the
 *       limits let in, PPDUs that are sent once and formed anew, stations in turn; mpdu/ampdu.c, amsdu.c, fifo.c. The first PPDU of a TXOP knows no
 *       limit of it, as its maker describes the hardware (docs/devices/mt76.md).
 *   D2  mac80211 makes the 802.11 headers, which wait in TXQs and count for AQL with 20 bytes more than an Ethernet header (mt76.encap of the model),
 *       and has the reorder buffers.
 *   D3  the worker is a tasklet, and the polls run at once; airtime is registered as each PPDU ends, whatever report_us is.
 *   D4  the rate is known from the start (MT_MAX_NON_AQL_PKT).
 *   D5  where a rate control is named for it, it is a card of MT7603's and MT7615's kind, whose rates are mac80211's; its A-MSDUs, which mac80211
 *       would form (TX_AMSDU), are not there.
 */
#include "air/medium.h"
#include "air/rx.h"
#include "driver/fifo.h"
#include "mpdu/amsdu.h"
#include "mpdu/tx.h"

static bool room(const struct wt_radio *r)
{
	return r->fifo_used < wt_p.fifo[WT_MT76];
}

static void take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	__skb_queue_tail(&tid->fw_q, skb);
	wt_fifo_turn(r, tid);
}

/* mt76_txq_schedule_all */
static void work(struct wt_radio *r)
{
	int ac;

	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
		while (wt_fifo_pull(r, ac, true, room, take))
			;
		wt_tx_schedule(r, ac);
	}
}

/* mt76_worker_schedule: it runs when the softirq of the moment is through */
static void wake_worker(struct wt_radio *r)
{
	tasklet_schedule(&r->worker);
}

static void wake(struct wt_radio *r, struct ieee80211_txq *txq)
{
	wake_worker(r);
}

const struct wt_driver wt_mt76 = {
	.mode = WT_MT76,
	.rx_ring = 1536,	/* mt7915.h MT7915_RX_RING_SIZE */
	.max_frames = &wt_p.fifo_frames[WT_MT76],
	.short_retries = 7,	/* the standard's: what the firmware sets is not public */
	.sent_once = true,
	.one_depth = true,
	.whole_ppdus = true,
	.in_order = true,
	.tx_airtime = true,
	.rx_ppdu_airtime = true,	/* mt7915/mac.c mt7915_mac_sta_poll */
	.aql = true,
	.makes_ccmp = true,
	.amsdus = true,	/* mt76/mac80211.c mt76_phy_init */
	.napi = true,		/* mt76/mac80211.c mt76_rx_complete */
	.rate_sets = true,	/* MT7603, MT7615 */
	.chooses_rates = true,	/* mt7915/init.c mt7915_init_wiphy: HAS_RATE_CONTROL */
	.wake = wake,
	.work = work,
	.freed = wake_worker,
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
