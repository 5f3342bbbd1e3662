// SPDX-License-Identifier: GPL-2.0
/*
 * capture: what goes over the air is written down, frame by frame: crates/capture/src/radio_log.rs makes captures and pictures of it.
 *
 * One piece of memory, taken when the module is loaded and read when the run is over, so that looking on changes nothing of a run. A
 * record is struct exchange, the depths of all radios' queues, and for each MPDU struct mpdu, and for each of its MSDUs struct msdu and the
 * first octets of its frame as mac80211 made it. Little endian.
 *
 * Source: what a monitor beside the receiver would have got of medium.c's exchanges.
 * Differs:
 *   D1  what a hardware or its driver fills in (Duration, Retry, a beacon's number, MIC, FCS) and control frames are the reader's to make.
 *   D2  a beacon's timestamp is the guest's clock, not the run's.
 *   D3  an exchange is written down when it begins, its outcome drawn; of one that begins in the window all is there.
 *   D4  of a device with a FIFO of its own (ath9k_htc, ath10k) depth.within is what its host was not yet told the end of.
 */
#include <linux/vmalloc.h>
#include <net/sch_generic.h>
#include "air/capture.h"
#include "air/phy.h"
#include "driver.h"

#define MAGIC	0x77746361	/* "actw" */
#define VERSION	3

enum { COLLIDED = 1, HEARD = 2, ANSWERED = 4, AGGREGATE = 8, BAR = 16, BEACON = 32, NO_ACK = 64, BLOCK_ACK = 128, WIDE_BITMAP = 256,
	GHZ2 = 512, LONG_SLOTS = 1024 };	/* its intervals are 2.4 GHz's, and those beside stations of 802.11b */
enum { NON_HT, HT, VHT, HE };

struct head {
	u32 magic;
	u16 version, radios;
	u64 used;			/* octets, this head included */
	u64 cut;			/* when there was no more room, ns; U64_MAX: there was */
} __packed;

struct exchange {
	u32 size;			/* of the whole record */
	u64 start, base;		/* ns since wt_capture_start */
	u32 rts_ns, cts_ns, data_ns, answer_ns;	/* cts_ns 0: what stands before the data is a CTS to self */
	u32 psdu;
	u16 flags;
	u16 rate;			/* MCS, or 100 kbit/s; with WT_SHORT_PREAMBLE */
	u16 control_rate, rts_rate;	/* likewise */
	u16 ssn;			/* of a BAR */
	u8 from, to;			/* 255: everybody */
	u8 tid, ac, aifsn, attempts;
	u8 phy, streams;		/* of VHT and HE */
	u16 mhz, gi_ns, n;
	u64 decoded[WT_MAX_MPDUS / 64];
} __packed;

struct depth {
	u32 above, within;		/* frames above the driver; in it and the hardware */
} __packed;

struct mpdu {
	u16 len;			/* octets on the air, FCS included */
	u8 attempts, msdus;
} __packed;

struct msdu {
	u16 len, kept;			/* octets of its frame without FCS; that follow here */
} __packed;

static struct head *log;
static u64 room, zero;
static struct exchange *last;

struct waiting {
	struct wt_radio *r;
	struct depth d;
};

static void count_station(void *data, struct ieee80211_sta *sta)
{
	struct waiting *w = data;
	unsigned long frames;
	int i;

	for (i = 0; i < ARRAY_SIZE(sta->txq); i++) {
		struct wt_tid *tid;

		if (!sta->txq[i])
			continue;
		ieee80211_txq_get_depth(sta->txq[i], &frames, NULL);
		w->d.above += frames;
		tid = (void *)sta->txq[i]->drv_priv;
		if (tid->txq && !wt_p.fifo[w->r->driver->mode])
			w->d.within += skb_queue_len(&tid->retry_q) + skb_queue_len(&tid->fw_q);
	}
}

static struct depth depth_of(struct wt_radio *r)
{
	struct waiting w = { .r = r };
	struct net_device *dev;
	unsigned int i;
	int q;

	if (!r->started)
		return w.d;
	rcu_read_lock();
	dev = wt_netdev_of(r);
	for (i = 0; dev && i < dev->num_tx_queues; i++)
		w.d.above += qdisc_qlen_sum(rcu_dereference(netdev_get_tx_queue(dev, i)->qdisc));
	rcu_read_unlock();
	ieee80211_iterate_stations_atomic(r->hw, count_station, &w);
	if (wt_p.fifo[r->driver->mode]) {
		w.d.within = r->fifo_used;
		return w.d;
	}
	for (q = 0; q < IEEE80211_NUM_ACS; q++) {
		struct wt_ppdu *p;

		list_for_each_entry(p, &r->ac[q].hwq, list)
			w.d.within += p->n;
	}
	return w.d;
}

static u64 size_of(const struct wt_ppdu *p)
{
	u64 size = sizeof(struct exchange) + wt_n_radios * sizeof(struct depth);
	struct sk_buff *skb;
	int i;

	for (i = 0; i < p->n; i++) {
		size += sizeof(struct mpdu);
		for (skb = p->mpdu[i]; skb; skb = wt_next_msdu(skb))
			size += sizeof(struct msdu) + min(skb->len, wt_p.capture_octets);
	}
	return size;
}

/* A BAR in an aggregate's place, or one of mac80211's. */
static void bar_of(const struct wt_ppdu *p, struct exchange *x)
{
	struct sk_buff *skb = p->mpdu[0];

	x->flags |= BAR;
	if (p->back_req) {
		const struct ieee80211_bar *bar = (void *)skb->data;

		x->ssn = IEEE80211_SEQ_TO_SN(le16_to_cpu(bar->start_seq_num));
		x->tid = le16_to_cpu(bar->control) >> 12;
	} else {
		x->ssn = wt_frame(skb)->seq;
	}
}

static void rate_of(enum nl80211_band band, const struct ieee80211_tx_rate *rate, struct exchange *x)
{
	struct rate_info info;

	if (!wt_phy_aggregates(rate)) {
		x->rate = wt_phy_rate(band, rate);
		return;
	}
	info = wt_phy_rate_info(rate);
	x->phy = info.flags & RATE_INFO_FLAGS_HE_MCS ? HE : info.flags & RATE_INFO_FLAGS_VHT_MCS ? VHT : HT;
	x->rate = info.mcs;
	x->streams = info.nss;
	x->mhz = wt_phy_mhz(rate);
	x->gi_ns = wt_phy_gi_ns(rate);
}

/* A frame with the first of its octets. */
static u8 *put_msdu(u8 *out, struct sk_buff *skb)
{
	struct msdu m = { .len = skb->len, .kept = min(skb->len, wt_p.capture_octets) };

	memcpy(out, &m, sizeof(m));
	skb_copy_bits(skb, 0, out + sizeof(m), m.kept);
	return out + sizeof(m) + m.kept;
}

/* Whether an exchange that begins at `start` is written down. */
bool wt_capture_wants(u64 start)
{
	last = NULL;
	return log && zero && start >= zero + wt_p.capture_from_us * 1000ull && start < zero + wt_p.capture_until_us * 1000ull &&
	       log->cut == U64_MAX;
}

/* One that is wanted was laid out. Under the lock. */
void wt_capture_exchange(struct wt_radio *r, int q, const struct wt_ppdu *p, const struct wt_exchange *e)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	const struct ieee80211_hdr *hdr = (void *)p->mpdu[0]->data;
	struct wt_radio *to = wt_receiver(r, hdr->addr1);
	struct exchange *x;
	u64 at = e->start - zero, size = size_of(p);
	unsigned int i;
	u8 *out;

	if (log->used + size > room) {
		log->cut = at;
		return;
	}
	x = last = (void *)log + log->used;
	log->used += size;
	*x = (struct exchange) {
		.size = size, .start = at, .base = e->base > zero ? e->base - zero : 0,
		.rts_ns = e->rts_ns, .cts_ns = e->cts_ns, .data_ns = e->data_ns, .answer_ns = e->answer_ns, .psdu = p->bytes,
		.flags = (e->collided ? COLLIDED : 0) | (e->response ? HEARD : 0) | (e->answered ? ANSWERED : 0) |
			 (p->aggr ? AGGREGATE | BLOCK_ACK : 0) | (p->back_req ? BLOCK_ACK : 0) | (p->beacon ? BEACON : 0) | (p->no_ack ? NO_ACK : 0) | (p->wide ? WIDE_BITMAP : 0) |
			 (wt_band(r) == NL80211_BAND_2GHZ ? GHZ2 : 0) | (wt_phy_slot_ns(r) > 9000 ? LONG_SLOTS : 0),
		.control_rate = wt_phy_response_rate(r, rate), .rts_rate = e->rts_rate,
		.from = r->index, .to = is_multicast_ether_addr(hdr->addr1) || !to ? 255 : to->index,
		.ac = q, .aifsn = r->ac[q].aifsn, .attempts = p->attempts, .n = p->n,
	};
	memcpy(x->decoded, p->acked, sizeof(x->decoded));
	rate_of(wt_band(r), rate, x);
	if (ieee80211_is_data_qos(hdr->frame_control))
		x->tid = ieee80211_get_tid((struct ieee80211_hdr *)hdr);
	if (p->bar || p->back_req)
		bar_of(p, x);
	out = (u8 *)(x + 1);
	for (i = 0; i < wt_n_radios; i++, out += sizeof(struct depth)) {
		struct depth depth = depth_of(wt_radios[i]);

		memcpy(out, &depth, sizeof(depth));
	}
	for (i = 0; i < p->n; i++) {
		struct sk_buff *skb = p->mpdu[i];
		struct mpdu m = { .len = wt_mpdu_len(skb), .attempts = wt_frame(skb)->attempts };
		u8 *at = out;

		out += sizeof(m);
		for (; skb; skb = wt_next_msdu(skb), m.msdus++)
			out = put_msdu(out, skb);
		memcpy(at, &m, sizeof(m));
	}
}

/* The answer to the last exchange is longer by what rides on it. */
void wt_capture_rides(u64 longer)
{
	if (last)
		last->answer_ns += longer;
}

/* Time 0 of the run. */
void wt_capture_start(u64 at)
{
	zero = at;
}

static ssize_t capture_read(struct file *file, char __user *user, size_t len, loff_t *pos)
{
	return log ? simple_read_from_buffer(user, len, pos, log, log->used) : 0;
}

const struct file_operations wt_capture_fops = { .owner = THIS_MODULE, .open = simple_open, .read = capture_read, .llseek = default_llseek };

int wt_capture_init(void)
{
	zero = 0;
	last = NULL;
	room = (u64)wt_p.capture_mib << 20;
	if (!room)
		return 0;
	log = vmalloc(room);
	if (!log)
		return -ENOMEM;
	*log = (struct head) { .magic = MAGIC, .version = VERSION, .radios = wt_p.radios, .used = sizeof(*log), .cut = U64_MAX };
	return 0;
}

void wt_capture_exit(void)
{
	vfree(log);
	log = NULL;
}
