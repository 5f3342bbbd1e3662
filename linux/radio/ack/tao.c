// SPDX-License-Identifier: GPL-2.0
/*
 * tao: the TCP ACK Optimisation (tao=1): a station's TCP ACKs wait until the A-MPDU that they answer has been taken in whole.
 *
 *     data, no duplicate, in order --(LOCAL_IN)--> data_to_ack += 1; TCP takes it
 *     TCP's ACK --(POST_ROUTING)--> data_to_ack -= ack_cnt; a pure ACK is held
 *     then, or when the A-MPDU's last frame has gone up: data_to_ack <= tao_leave and no more to come: all held ACKs go, and the
 *     driver looks at its queues when all are there
 *
 * Source: the thesis's sections 4.7.2 and 4.8.2; crates/core/src/mac80211/tao.rs reads it alike (what "reaches one" means, the odd
 *   segment and its delayed ACK).
 * Where it hooks: netfilter's, which stand where mac80211's duplicates and reordering are over and TCP has yet to come, and above every
 *   qdisc and every number that mac80211 gives, so that a held ACK leaves no hole that the receiver would wait for. Which frame
 *   ends an A-MPDU the driver says (RX_FLAG_AMPDU_IS_LAST, as ath9k's recv.c sets it).
 * Locking: wt_tao.lock guards all of a station's; ACKs go out with no lock held.
 * Differs:
 *   D1  TCP is not patched: ack_cnt is the number of the flow's segments that have gone up since its last ACK came down. Differences of
 *       ACK numbers would leave the counter high after every loss and hold back the duplicate ACKs that tell of it.
 *   D2  a packet that is not a pure ACK passes, and may overtake held ones.
 *   D3  what one received frame lets through (the reorder buffer may free several) is one event, where the host takes no time for a packet
 *       (air/host.c): nothing is let go before its end.
 *   D4  an ACK counts for the TID of its flow's data, whatever its own mark.
 *   D5  whatever is held goes after 250 ms, and counting starts over: longer than TCP delays an ACK. Segments of a connection that died
 *       would hold the others' ACKs for ever.
 *   D6  IPv4 only; at most 32 flows are known, of more the one that was longest without data is forgotten.
 */
#include <linux/ip.h>
#include <linux/netfilter_ipv4.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include "ack/hack.h"
#include "ack/tao.h"
#include "clock.h"
#include "mpdu/tx.h"
#include "rider.h"

#define PATIENCE	(HZ / 4)

struct wt_tao {
	struct wt_radio *radio;
	spinlock_t lock;
	bool inside;			/* a received frame is on its way up */
	int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);	/* where a held packet goes on */
	struct timer_list patience;
	struct wt_tao_tid {
		u32 data_to_ack;
		bool more_data;		/* its A-MPDU's last frame has yet to go up */
		unsigned long since;	/* the first of held was held, jiffies */
		struct sk_buff_head held;
	} tid[8];
	struct wt_tao_flow {
		__be32 near, far;
		__be16 near_port, far_port;
		u32 segments;		/* that went up since its last ACK */
		u8 tid;			/* of its data */
		bool used;
		unsigned long last;	/* data came, jiffies */
	} flows[32];
};

static struct wt_radio *station_of(const struct net_device *dev)
{
	struct wt_radio *found = NULL;
	unsigned int i;

	spin_lock_bh(&wt_lock);
	for (i = 0; dev && i < wt_n_radios && !found; i++)
		if (wt_is_station(wt_radios[i]) && wt_netdev_of(wt_radios[i]) == dev)
			found = wt_radios[i];
	spin_unlock_bh(&wt_lock);
	return found;
}

/* A segment's header if it is one of TCP over IPv4, and what it carries. */
static struct tcphdr *tcp_of(struct sk_buff *skb, unsigned int *payload)
{
	unsigned int header = ip_hdrlen(skb);
	struct tcphdr *th;

	if (ip_hdr(skb)->protocol != IPPROTO_TCP || ip_is_fragment(ip_hdr(skb)) || !pskb_may_pull(skb, header + sizeof(*th)))
		return NULL;
	th = (void *)ip_hdr(skb) + header;
	header += th->doff * 4;
	*payload = skb->len > header ? skb->len - header : 0;
	return th;
}

/* The flow of this pair of ends, `near` being the station's. */
static struct wt_tao_flow *flow_of(struct wt_tao *t, __be32 near, __be16 near_port, __be32 far, __be16 far_port, bool make)
{
	struct wt_tao_flow *f, *oldest = t->flows;

	for (f = t->flows; f < t->flows + ARRAY_SIZE(t->flows); f++) {
		if (f->used && f->near == near && f->far == far && f->near_port == near_port && f->far_port == far_port)
			return f;
		if (!f->used || (oldest->used && time_before(f->last, oldest->last)))
			oldest = f;
	}
	if (!make)
		return NULL;
	f = oldest;
	if (f->used)
		t->tid[f->tid].data_to_ack -= f->segments;
	*f = (struct wt_tao_flow) { .used = true, .near = near, .far = far, .near_port = near_port, .far_port = far_port };
	return f;
}

static bool due(const struct wt_tao *t, int tid)
{
	const struct wt_tao_tid *w = &t->tid[tid];

	return !skb_queue_empty(&w->held) && !w->more_data && !t->inside && w->data_to_ack <= wt_p.tao_leave;
}

static void cork(struct wt_radio *r, bool on)
{
	int ac;

	spin_lock_bh(&wt_lock);
	r->corked = on;
	for (ac = 0; !on && ac < IEEE80211_NUM_ACS; ac++)
		wt_tx_schedule(r, ac);
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
}

/* What is held goes on its way. */
static void release(struct wt_radio *r, struct sk_buff_head *acks)
{
	struct sk_buff *skb;

	if (skb_queue_empty(acks))
		return;
	cork(r, true);
	rcu_read_lock();
	while ((skb = __skb_dequeue(acks)))
		if (!wt_hack_down(skb->dev, skb, r->tao->okfn))	/* its hook comes after ours */
			r->tao->okfn(dev_net(skb->dev), skb->sk, skb);
	rcu_read_unlock();
	cork(r, false);
}

/* Those that may go, moved to `acks`. Under the lock. */
static void collect(struct wt_radio *r, int tid, struct sk_buff_head *acks)
{
	if (!due(r->tao, tid))
		return;
	skb_queue_splice_tail_init(&r->tao->tid[tid].held, acks);
	r->count.tao_releases++;
}

/* A packet is about to go up to TCP. */
static unsigned int tao_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	unsigned int segments = max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1);	/* the thesis counts below GRO */
	struct wt_radio *r = station_of(state->in);
	struct wt_tao_flow *f;
	unsigned int payload;
	struct tcphdr *th;

	th = r ? tcp_of(skb, &payload) : NULL;
	if (!th || !payload)
		return NF_ACCEPT;
	spin_lock_bh(&r->tao->lock);
	f = flow_of(r->tao, ip_hdr(skb)->daddr, th->dest, ip_hdr(skb)->saddr, th->source, true);
	if (!f->segments)
		f->tid = cfg80211_classify8021d(skb, NULL);	/* as who sent it took it (ieee80211_select_queue) */
	f->last = jiffies;
	f->segments += segments;
	r->tao->tid[f->tid].data_to_ack += segments;
	spin_unlock_bh(&r->tao->lock);
	return NF_ACCEPT;
}

/* A packet comes down. */
static unsigned int tao_out(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct wt_radio *r = station_of(state->out);
	unsigned int payload, ret = NF_ACCEPT;
	struct sk_buff_head acks;
	struct wt_tao_flow *f;
	struct wt_tao_tid *w;
	struct tcphdr *th;
	u32 ack_cnt;

	th = r ? tcp_of(skb, &payload) : NULL;
	if (!th)
		return NF_ACCEPT;
	__skb_queue_head_init(&acks);
	spin_lock_bh(&r->tao->lock);
	f = flow_of(r->tao, ip_hdr(skb)->saddr, th->source, ip_hdr(skb)->daddr, th->dest, false);
	if (!f)		/* no data has come: a handshake's */
		goto out;
	w = &r->tao->tid[f->tid];
	ack_cnt = f->segments;
	f->segments = 0;
	w->data_to_ack -= ack_cnt;
	if (payload || !th->ack || th->syn || th->fin || th->rst)
		goto out;
	if (skb_queue_empty(&w->held) && !ack_cnt && !w->data_to_ack)
		goto out;	/* it answers no data: a window's */
	if (!skb_dst_force(skb))
		goto out;
	r->tao->okfn = state->okfn;
	if (skb_queue_empty(&w->held)) {
		w->since = jiffies;
		if (!timer_pending(&r->tao->patience))
			mod_timer(&r->tao->patience, jiffies + PATIENCE);
	}
	__skb_queue_tail(&w->held, skb);
	r->count.tao_held++;
	ret = NF_STOLEN;
	collect(r, f->tid, &acks);
out:
	spin_unlock_bh(&r->tao->lock);
	release(r, &acks);
	return ret;
}

static void look(struct wt_radio *r, struct sk_buff *skb, struct wt_rx_frame *f)
{
	struct ieee80211_rx_status *rx = IEEE80211_SKB_RXCB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;

	f->data = wt_is_station(r) && ieee80211_is_data_qos(hdr->frame_control);
	if (!f->data)
		return;
	f->tid = ieee80211_get_tid(hdr) & 7;
	f->last = !(rx->flag & RX_FLAG_AMPDU_LAST_KNOWN) || rx->flag & RX_FLAG_AMPDU_IS_LAST;
}

/* It goes up: what it lets through is counted, nothing is let go. */
static void begin(struct wt_radio *r, const struct wt_rx_frame *f)
{
	if (!f->data)
		return;
	spin_lock_bh(&r->tao->lock);
	r->tao->inside = true;
	spin_unlock_bh(&r->tao->lock);
}

/* TCP is through with it. */
static void end(struct wt_radio *r, const struct wt_rx_frame *f)
{
	struct sk_buff_head acks;
	int tid;

	if (!f->data)
		return;
	__skb_queue_head_init(&acks);
	spin_lock_bh(&r->tao->lock);
	r->tao->inside = false;
	r->tao->tid[f->tid].more_data = !f->last;
	for (tid = 0; tid < ARRAY_SIZE(r->tao->tid); tid++)
		collect(r, tid, &acks);
	spin_unlock_bh(&r->tao->lock);
	release(r, &acks);
}

static void start_over(struct wt_tao *t, struct sk_buff_head *acks)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(t->flows); i++)
		t->flows[i].segments = 0;
	for (i = 0; i < ARRAY_SIZE(t->tid); i++) {
		skb_queue_splice_tail_init(&t->tid[i].held, acks);
		t->tid[i].data_to_ack = 0;
		t->tid[i].more_data = false;
	}
}

/* Has some TID's first held ACK waited too long? If not, when may one have? */
static void patience_ends(struct timer_list *timer)
{
	struct wt_tao *t = from_timer(t, timer, patience);
	struct wt_radio *r = t->radio;
	struct sk_buff_head acks;
	int i;

	__skb_queue_head_init(&acks);
	spin_lock_bh(&r->tao->lock);
	for (i = 0; i < ARRAY_SIZE(r->tao->tid); i++) {
		const struct wt_tao_tid *w = &r->tao->tid[i];

		if (skb_queue_empty(&w->held))
			continue;
		if (time_before(jiffies, w->since + PATIENCE)) {
			timer_reduce(&r->tao->patience, w->since + PATIENCE);
			continue;
		}
		r->count.tao_expired++;
		start_over(r->tao, &acks);
		break;
	}
	spin_unlock_bh(&r->tao->lock);
	release(r, &acks);
}

int wt_tao_init(struct wt_radio *r)
{
	int i;

	if (!wt_p.tao)
		return 0;
	r->tao = kzalloc(sizeof(*r->tao), GFP_KERNEL);
	if (!r->tao)
		return -ENOMEM;
	r->tao->radio = r;
	spin_lock_init(&r->tao->lock);
	timer_setup(&r->tao->patience, patience_ends, 0);
	for (i = 0; i < ARRAY_SIZE(r->tao->tid); i++)
		__skb_queue_head_init(&r->tao->tid[i].held);
	return 0;
}

void wt_tao_exit(struct wt_radio *r)
{
	wt_tao_stop(r);
	kfree(r->tao);
}

/* The interface goes away; r->vif is gone already, so that nothing more is held. */
void wt_tao_stop(struct wt_radio *r)
{
	struct sk_buff_head acks;

	if (!r->tao)
		return;
	__skb_queue_head_init(&acks);
	timer_delete_sync(&r->tao->patience);
	spin_lock_bh(&r->tao->lock);
	start_over(r->tao, &acks);
	spin_unlock_bh(&r->tao->lock);
	__skb_queue_purge(&acks);
}

static const struct nf_hook_ops hooks[] = {
	{ .hook = tao_in, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN, .priority = NF_IP_PRI_LAST },
	/* before hack.c's, which is told of held ACKs when they go (nf_hook_entries_grow puts the later of two equals first) */
	{ .hook = tao_out, .pf = NFPROTO_IPV4, .hooknum = NF_INET_POST_ROUTING, .priority = NF_IP_PRI_LAST - 1 },
};

static int __net_init net_start(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static void __net_exit net_stop(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static struct pernet_operations nets = { .init = net_start, .exit = net_stop };

static const struct wt_watcher watcher = { .look = look, .begin = begin, .end = end };

int wt_tao_hook(void)
{
	if (!wt_p.tao)
		return 0;
	wt_watcher = &watcher;
	return register_pernet_subsys(&nets);
}

/* Before the cards go: no hook looks at them any more. */
void wt_tao_unhook(void)
{
	if (!wt_p.tao)
		return;
	unregister_pernet_subsys(&nets);
	synchronize_net();
}
