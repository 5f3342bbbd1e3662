/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a driver and the queueing discipline `aaq` (modules/wavetank_aaq) say to each other.
 *
 * The thesis adds a function to struct Qdisc_ops; here a larger structure holds the kernel's, so that neither the kernel is
 * patched nor the driver linked with the module:
 *
 *	rcu_read_lock();
 *	q = rcu_dereference(netdev_get_tx_queue(dev, i)->qdisc);
 *	aaq = wt_aaq_of(q);
 *	if (aaq)
 *		aaq->message(q, id, WT_AAQ_PAUSE);
 *	rcu_read_unlock();
 *
 * A discipline that a device's queue points to, and its code, stay until a grace period after it was detached (sch_generic.c
 * dev_deactivate_many; a module's memory: kernel/module/main.c free_module). Not in hard interrupts; with the driver's own locks
 * held if those are not taken by what frees packets.
 */
#ifndef WAVETANK_AAQ_H
#define WAVETANK_AAQ_H

#include <linux/module.h>
#include <linux/string.h>
#include <net/sch_generic.h>

enum wt_aaq_message {
	WT_AAQ_PAUSE,	/* no more of the queue whose packet came last; `id` names it from now on */
	WT_AAQ_RESUME,	/* the paused queue of this id may go on */
};

struct wt_aaq_ops {
	struct Qdisc_ops qdisc;
	void (*message)(struct Qdisc *sch, u32 id, enum wt_aaq_message m);
	/*
	 * 0: whether the queue whose packet came last has another, which comes next if nobody says PAUSE. An id that PAUSE has
	 * told: whether that queue has packets (one that is not known: as 0).
	 */
	bool (*more_data)(struct Qdisc *sch, u32 id);
};

static inline const struct wt_aaq_ops *wt_aaq_of(const struct Qdisc *q)
{
	if (!q || strcmp(q->ops->id, "aaq") || !q->ops->owner || strcmp(q->ops->owner->name, "wavetank_aaq"))
		return NULL;
	return container_of(q->ops, struct wt_aaq_ops, qdisc);
}

/* Options of the discipline, nested in TCA_OPTIONS. */
enum { WT_AAQ_UNSPEC, WT_AAQ_LIMIT /* u32, packets */, __WT_AAQ_MAX };

/* Its own statistics (TCA_STATS_APP). */
struct wt_aaq_stats {
	__u32 queues;		/* that exist */
	__u32 active;		/* with packets, may send */
	__u32 paused;
	__u32 reserved;
	__u64 pauses, resumes;	/* that were followed */
	__u64 strays;		/* messages about no queue */
	__u64 overlimits;	/* packets dropped from the head of the longest queue */
};

#endif
