// SPDX-License-Identifier: GPL-2.0
/*
 * table: what a station's rate control knows, below debugfs ieee80211/PHY/netdev:DEV/stations/MAC/: rc_stats to be read,
 * rc_stats_csv to be worked with; as Minstrel-HT has them (net/mac80211/rc80211_minstrel_ht_debugfs.c).
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>
#include "aasrc.h"

static const char *const names[AASRC_KINDS] = { "aasrc", "aarc", "aarc_snr" };

/* rates' names are the shorter of "MCS15" and "54.0M" */
static void name_of(const struct aasrc_rate *r, char *out, size_t size)
{
	if (r->flags & IEEE80211_TX_RC_MCS)
		snprintf(out, size, "MCS%d", r->idx);
	else
		snprintf(out, size, "%u.%uM", r->kbps / 1000, r->kbps / 100 % 10);
}

static void row(struct seq_file *f, struct aasrc_sta *s, int i, u64 now, bool csv)
{
	struct aasrc_rate *r = &s->a.rate[i];
	bool known = r->avg, probed = s->probing != AASRC_IDLE && s->probed == i;
	u64 barred = r->barred_until > now ? div_u64(r->barred_until - now, NSEC_PER_USEC) : 0;
	u32 good = known && r->sent ? 1000 * (r->sent - r->failed) / r->sent : 0;
	u32 tput = known ? aasrc_throughput(r, r->avg) : 0, avg = known ? r->avg * 10 / 256 : 0;
	const char *mode = !(r->flags & IEEE80211_TX_RC_MCS) ? "legacy" : r->flags & IEEE80211_TX_RC_40_MHZ_WIDTH ? "HT40" : "HT20";
	char gi = r->flags & IEEE80211_TX_RC_SHORT_GI ? 'S' : 'L', name[12], mark[3] = "  ";

	name_of(r, name, sizeof(name));
	mark[0] = i == s->a.current_rate ? 'C' : ' ';
	mark[1] = probed ? 'P' : ' ';
	seq_printf(f, csv ? "%s,%cGI,%s%s,%s,%u,%u,%u,%u.%u,%u.%u,%u,%u,%llu,%d,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n" :
		   "%-6s %cGI  %s%s %-6s %7u  %7u  %5u  %4u.%u  %5u.%u  %5u  %2u  %8llu  %6d  %8llu %9llu %9llu  %6llu %6llu  %6llu %6llu  %6llu\n",
		   mode, gi, csv && mark[0] == ' ' ? "" : csv ? "C" : mark, csv && probed ? "P" : "", name, r->kbps, tput,
		   known ? r->sent : 0, good / 10, good % 10, avg / 10, avg % 10, known ? r->failed : 0, r->b, barred,
		   r->referred ? r->reference : 0, r->count.units, r->count.frames, r->count.acked, r->count.probes,
		   r->count.succeeded, r->count.forced, r->count.forced_succeeded, r->count.lost);
}

static int show(struct seq_file *f, bool csv)
{
	struct aasrc_sta *s = f->private;
	u64 now = ktime_get_ns();
	int i;

	spin_lock_bh(&s->lock);
	if (!csv)
		seq_printf(f, "%s: C the current rate, P probed now; since they were last forgotten: frames, %% acknowledged, mean unit\n\n"
			   "mode   guard    rate   kbit/s   tput   frames   ok %%  A-MPDU  failed  b  barred us  ref   "
			   "#units   #frames    #acked  #probes  #good  #forced  #good  #lost\n", names[s->a.kind]);
	for (i = 0; i < s->a.n; i++)
		row(f, s, i, now, csv);
	if (!csv) {
		seq_printf(f, "\nsteps down %llu\n", s->a.steps_down);
		if (s->a.kind == AARC)
			seq_printf(f, "eSNR, 1/100 dB: BPSK %d, QPSK %d, 16-QAM %d, 64-QAM %d\n", s->a.last[0], s->a.last[1],
				   s->a.last[2], s->a.last[3]);
		if (s->a.kind == AARC_SNR)
			seq_printf(f, "SNR, 1/100 dB: %d (%s)\n", s->a.last[0],
				   s->fed_back ? "the receiver's" : s->ack_heard ? "of the acknowledgements" : "none yet");
	}
	spin_unlock_bh(&s->lock);
	return 0;
}

static int rc_stats_show(struct seq_file *f, void *unused) { return show(f, false); }
static int rc_stats_csv_show(struct seq_file *f, void *unused) { return show(f, true); }
DEFINE_SHOW_ATTRIBUTE(rc_stats);
DEFINE_SHOW_ATTRIBUTE(rc_stats_csv);

void aasrc_add_sta_debugfs(void *priv, void *priv_sta, struct dentry *dir)
{
	debugfs_create_file("rc_stats", 0444, dir, priv_sta, &rc_stats_fops);
	debugfs_create_file("rc_stats_csv", 0444, dir, priv_sta, &rc_stats_csv_fops);
}
