// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_aaq: Aggregation Aware Queueing, the queueing discipline `aaq`.
 *
 * Packets wait by destination and leave from one queue until the driver says PAUSE: it has what an aggregate takes, or the Block Ack
 * window is shut. RESUME puts the queue behind all others. more_data tells the driver whether to wait for more of the same.
 *
 *	insmod wavetank_aaq.ko limit=1000
 *	tc qdisc replace dev wlan0 root aaq
 *	tc -s qdisc show dev wlan0
 *
 * Source: the thesis's section 4.7.1, Algorithms 1 to 3, and 4.8.1 (there fq_aaq); crates/core/src/qdisc/aaq.rs reads it alike:
 *   a queue is paused at every PAUSE (Algorithm 3, line 2, as printed would do so only once), `is_new` means "on neither list", and the
 *   limit is one more than what stays (`qlen >= limit` drops).
 * A driver that says nothing (all of 6.12's) makes of it one queue after the other, each until it is empty.
 * Locking: everything is under the discipline's own lock (qdisc_lock).
 * Differs:
 *   D1  queues are made when first needed, and one that is idle serves the next destination of its chain: there are never more in a chain
 *       than wait there at once.
 *   D2  a queue has one id: of two TIDs of a destination the last one's word counts.
 *   D3  which packet a verdict is about: as in fq_codel (sch_fq_codel.c fq_codel_enqueue), the paper is silent.
 *   D4  not as the root of a device with several transmit queues: such a root takes up to eight packets at once
 *       (sch_generic.c try_bulk_dequeue_skb_slow), past a PAUSE. There it goes below mq, one for each queue.
 *   D5  a GSO packet is one packet here and is cut behind the discipline; a PAUSE stops none of its segments. So a PAUSE may come when no
 *       queue is current: it is for the active one that bears its id.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include "wavetank_aaq.h"

#define CHAINS 256

static unsigned int default_limit = 1000;	/* the thesis's */
module_param_named(limit, default_limit, uint, 0644);
MODULE_PARM_DESC(limit, "packets in all queues at which one is dropped, where none is given (tc knows no options of aaq) [1000]");

enum where { IDLE, ACTIVE, PAUSED };	/* the current queue is ACTIVE, too, but on no list */

struct queue {
	struct list_head list;		/* in sched.active or sched.paused */
	struct queue *next;		/* of its chain */
	struct sk_buff_head skbs;
	enum where where;
	u32 id;				/* the driver's; 0: it has not told any */
	u8 to[ETH_ALEN];
};

struct sched {
	struct queue *chain[CHAINS];
	struct list_head active, paused;
	struct queue *current_queue;
	u32 queues;
	u64 pauses, resumes, strays, overlimits;
};

static struct queue *queue_for(struct sched *s, const u8 *to)
{
	struct queue **chain = &s->chain[to[ETH_ALEN - 1]], *q, *idle = NULL;

	for (q = *chain; q; q = q->next) {
		if (ether_addr_equal(q->to, to))
			return q;
		if (q->where == IDLE)
			idle = q;
	}
	q = idle;
	if (!q) {
		q = kzalloc(sizeof(*q), GFP_ATOMIC);
		if (!q)
			return NULL;
		INIT_LIST_HEAD(&q->list);
		__skb_queue_head_init(&q->skbs);
		q->next = *chain;
		*chain = q;
		s->queues++;
	}
	ether_addr_copy(q->to, to);
	q->id = 0;
	return q;
}

static struct queue *longest(struct sched *s)
{
	struct queue *q, *fat = s->current_queue;

	list_for_each_entry(q, &s->active, list)
		if (!fat || skb_queue_len(&q->skbs) > skb_queue_len(&fat->skbs))
			fat = q;
	list_for_each_entry(q, &s->paused, list)
		if (!fat || skb_queue_len(&q->skbs) > skb_queue_len(&fat->skbs))
			fat = q;
	return fat;
}

static struct sk_buff *take(struct Qdisc *sch, struct queue *q)
{
	struct sk_buff *skb = __skb_dequeue(&q->skbs);

	if (skb) {
		sch->q.qlen--;
		qdisc_qstats_backlog_dec(sch, skb);
	}
	return skb;
}

/* Algorithm 1 */
static int aaq_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct sched *s = qdisc_priv(sch);
	struct queue *q = queue_for(s, eth_hdr(skb)->h_dest), *fat;
	unsigned int len = qdisc_pkt_len(skb), dropped;
	struct sk_buff *oldest;

	if (!q)
		return qdisc_drop(skb, sch, to_free);
	__skb_queue_tail(&q->skbs, skb);
	sch->q.qlen++;
	qdisc_qstats_backlog_inc(sch, skb);
	if (q->where == IDLE) {
		q->where = ACTIVE;
		list_add_tail(&q->list, &s->active);
	}
	if (sch->q.qlen < sch->limit)
		return NET_XMIT_SUCCESS;
	fat = longest(s);
	oldest = take(sch, fat);	/* there is one: skb is in a queue */
	dropped = qdisc_pkt_len(oldest);
	s->overlimits++;
	qdisc_qstats_overlimit(sch);
	qdisc_drop(oldest, sch, to_free);
	if (oldest == skb)
		return NET_XMIT_DROP;
	if (fat == q) {		/* to a parent: this one did not get in */
		qdisc_tree_reduce_backlog(sch, 0, dropped - len);
		return NET_XMIT_CN;
	}
	qdisc_tree_reduce_backlog(sch, 1, dropped);
	return NET_XMIT_SUCCESS;
}

/* Algorithm 2 */
static struct sk_buff *aaq_dequeue(struct Qdisc *sch)
{
	struct sched *s = qdisc_priv(sch);
	struct sk_buff *skb;

	for (;;) {
		if (!s->current_queue) {
			s->current_queue = list_first_entry_or_null(&s->active, struct queue, list);
			if (!s->current_queue)
				return NULL;
			list_del_init(&s->current_queue->list);
		}
		skb = take(sch, s->current_queue);
		if (skb) {
			qdisc_bstats_update(sch, skb);
			return skb;
		}
		s->current_queue->where = IDLE;
		s->current_queue = NULL;
	}
}

static struct queue *of_id(struct list_head *list, u32 id)
{
	struct queue *q;

	list_for_each_entry(q, list, list)
		if (q->id == id)
			return q;
	return NULL;
}

/* Algorithm 3 */
static void aaq_message(struct Qdisc *sch, u32 id, enum wt_aaq_message m)
{
	struct sched *s = qdisc_priv(sch);
	struct queue *q;

	spin_lock_bh(qdisc_lock(sch));
	if (m == WT_AAQ_PAUSE) {
		q = s->current_queue;
		if (!q) {
			/* segments of a GSO packet go on after a PAUSE and the RESUME that followed */
			q = of_id(&s->active, id);
			if (q)
				list_del(&q->list);
		}
		if (q) {
			s->current_queue = NULL;
			q->id = id;
			q->where = PAUSED;
			list_add_tail(&q->list, &s->paused);
			s->pauses++;
		}
	} else {
		q = of_id(&s->paused, id);
		if (q) {
			q->where = ACTIVE;
			list_move_tail(&q->list, &s->active);
			s->resumes++;
			__netif_schedule(sch);	/* it may have stopped with packets left */
		}
	}
	if (!q)
		s->strays++;
	spin_unlock_bh(qdisc_lock(sch));
}

static bool aaq_more_data(struct Qdisc *sch, u32 id)
{
	struct sched *s = qdisc_priv(sch);
	struct queue *q = NULL;
	bool more;

	spin_lock_bh(qdisc_lock(sch));
	if (id)
		q = of_id(&s->active, id) ?: of_id(&s->paused, id);
	q = q ?: s->current_queue;
	more = q && !skb_queue_empty(&q->skbs);
	spin_unlock_bh(qdisc_lock(sch));
	return more;
}

static const struct nla_policy policy[__WT_AAQ_MAX] = {
	[WT_AAQ_LIMIT] = NLA_POLICY_MIN(NLA_U32, 1),
};

static int aaq_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[__WT_AAQ_MAX];
	struct sched *s = qdisc_priv(sch);
	unsigned int n = 0, len = 0;
	struct queue *fat;
	struct sk_buff *skb;
	int err;

	err = nla_parse_nested_deprecated(tb, __WT_AAQ_MAX - 1, opt, policy, extack);
	if (err)
		return err;
	if (!tb[WT_AAQ_LIMIT])
		return 0;
	sch_tree_lock(sch);
	WRITE_ONCE(sch->limit, nla_get_u32(tb[WT_AAQ_LIMIT]));
	while (sch->q.qlen >= sch->limit && (fat = longest(s)) && (skb = take(sch, fat))) {
		n++;
		len += qdisc_pkt_len(skb);
		s->overlimits++;
		qdisc_qstats_drop(sch);
		rtnl_kfree_skbs(skb, skb);
	}
	qdisc_tree_reduce_backlog(sch, n, len);
	sch_tree_unlock(sch);
	return 0;
}

static int aaq_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct sched *s = qdisc_priv(sch);

	INIT_LIST_HEAD(&s->active);
	INIT_LIST_HEAD(&s->paused);
	if (qdisc_dev(sch)->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG(extack, "aaq needs Ethernet addresses");
		return -EOPNOTSUPP;
	}
	if (sch->parent == TC_H_ROOT && !(sch->flags & TCQ_F_ONETXQUEUE)) {
		NL_SET_ERR_MSG(extack, "the device has several transmit queues: put aaq below mq");
		return -EOPNOTSUPP;
	}
	sch->limit = max(READ_ONCE(default_limit), 1u);
	return opt ? aaq_change(sch, opt, extack) : 0;
}

static void aaq_reset(struct Qdisc *sch)
{
	struct sched *s = qdisc_priv(sch);
	struct sk_buff *skb;
	struct queue *q;
	int i;

	for (i = 0; i < CHAINS; i++)
		for (q = s->chain[i]; q; q = q->next) {
			while ((skb = __skb_dequeue(&q->skbs)))
				rtnl_kfree_skbs(skb, skb);
			list_del_init(&q->list);
			q->where = IDLE;
		}
	s->current_queue = NULL;
}

static void aaq_destroy(struct Qdisc *sch)
{
	struct sched *s = qdisc_priv(sch);
	struct queue *q;
	int i;

	for (i = 0; i < CHAINS; i++)
		while ((q = s->chain[i])) {
			s->chain[i] = q->next;
			kfree(q);
		}
}

static int aaq_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct nlattr *opts = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!opts || nla_put_u32(skb, WT_AAQ_LIMIT, READ_ONCE(sch->limit)))
		return -EMSGSIZE;
	return nla_nest_end(skb, opts);
}

static int aaq_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct sched *s = qdisc_priv(sch);
	struct wt_aaq_stats st = {};

	sch_tree_lock(sch);
	st.queues = s->queues;
	st.active = list_count_nodes(&s->active) + !!s->current_queue;
	st.paused = list_count_nodes(&s->paused);
	st.pauses = s->pauses;
	st.resumes = s->resumes;
	st.strays = s->strays;
	st.overlimits = s->overlimits;
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static struct wt_aaq_ops ops __read_mostly = {
	.qdisc = {
		.id = "aaq",
		.priv_size = sizeof(struct sched),
		.enqueue = aaq_enqueue,
		.dequeue = aaq_dequeue,
		.peek = qdisc_peek_dequeued,
		.init = aaq_init,
		.reset = aaq_reset,
		.destroy = aaq_destroy,
		.change = aaq_change,
		.dump = aaq_dump,
		.dump_stats = aaq_dump_stats,
		.owner = THIS_MODULE,
	},
	.message = aaq_message,
	.more_data = aaq_more_data,
};

static int __init aaq_module_init(void)
{
	return register_qdisc(&ops.qdisc);
}

static void __exit aaq_module_exit(void)
{
	unregister_qdisc(&ops.qdisc);
}

module_init(aaq_module_init);
module_exit(aaq_module_exit);
MODULE_LICENSE("GPL");
MODULE_ALIAS_NET_SCH("aaq");
MODULE_DESCRIPTION("Aggregation Aware Queueing");
