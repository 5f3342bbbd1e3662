// SPDX-License-Identifier: GPL-2.0
/*
 * above: what a driver and the queueing discipline on its netdev say to each other, if that is `aaq` (include/wavetank_aaq.h).
 */
#include "driver/above.h"

struct above {
	struct Qdisc *q;
	const struct wt_aaq_ops *aaq;	/* NULL: it does not listen */
};

/* Under rcu_read_lock. */
static struct above above(struct wt_radio *r)
{
	struct net_device *dev = wt_netdev_of(r);
	struct above a = {};

	if (dev)
		a.q = rcu_dereference(netdev_get_tx_queue(dev, 0)->qdisc);
	a.aaq = wt_aaq_of(a.q);
	return a;
}

/* Under rcu_read_lock: whether it listens. */
bool wt_above_listens(struct wt_radio *r)
{
	return above(r).aaq;
}

/* Tells it to PAUSE or RESUME a TID. */
void wt_above_tell(struct wt_radio *r, struct wt_tid *tid, enum wt_aaq_message m)
{
	struct above a;

	tid->paused = m == WT_AAQ_PAUSE;
	rcu_read_lock();
	a = above(r);
	if (a.aaq)
		a.aaq->message(a.q, tid->id, m);
	rcu_read_unlock();
}

/* Whether it has more of a TID (0: of the one whose packet came last). */
bool wt_above_announced(struct wt_radio *r, u32 id)
{
	struct above a;
	bool more;

	rcu_read_lock();
	a = above(r);
	more = a.aaq && a.aaq->more_data(a.q, id);
	rcu_read_unlock();
	return more;
}
