// SPDX-License-Identifier: GPL-2.0
/*
 * shallow: a queue of a few packets that drops what comes beyond them. It shows what a queueing discipline of one's own takes
 * (linux/README.md). After net/sched/sch_fifo.c, with a parameter of the module in place of tc's.
 */
#include <linux/module.h>
#include <net/pkt_sched.h>

static unsigned int depth = 10;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "packets that it holds");

static int shallow_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	if (sch->q.qlen < depth)
		return qdisc_enqueue_tail(skb, sch);
	return qdisc_drop(skb, sch, to_free);
}

static struct Qdisc_ops shallow = {
	.id		= "shallow",
	.enqueue	= shallow_enqueue,
	.dequeue	= qdisc_dequeue_head,
	.peek		= qdisc_peek_head,
	.reset		= qdisc_reset_queue,
	.owner		= THIS_MODULE,
};

static int __init shallow_init(void)
{
	return register_qdisc(&shallow);
}

static void __exit shallow_exit(void)
{
	unregister_qdisc(&shallow);
}

module_init(shallow_init);
module_exit(shallow_exit);
MODULE_DESCRIPTION("A queue of a few packets");
MODULE_LICENSE("GPL");
