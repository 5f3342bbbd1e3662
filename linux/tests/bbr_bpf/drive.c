// SPDX-License-Identifier: GPL-2.0
/*
 * Takes one congestion control through the life of a connection and prints what it decides, a line an event.
 *
 *     drive SEED EVENTS HZ [PARAMETER=VALUE...]
 *
 * A path with a rate that changes now and then, ACKs alone and in bursts, queues, losses at random and as a policer's, silences of the
 * application, recoveries, timeouts, undone reductions. Everything depends on the seed and on the control's decisions alone.
 */
#include "types.h"
#include SOURCE

u64 now_us;
unsigned long hz;
struct tcp_congestion_ops *control;
static u64 events, draws;

static u32 next(u64 *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return *s >> 33;
}
u32 chance(void) { return next(&draws); }
static u32 upto(u32 n) { return next(&events) % (n + 1); }
static bool once_in(u32 n) { return upto(n - 1) == 0; }

static struct { const char *name; u32 *value; } known[16];
static int known_count;
void parameter(const char *name, u32 *value) { known[known_count].name = name; known[known_count++].value = value; }

int main(int argc, char **argv)
{
	static struct tcp_sock t;
	struct sock *sk = (struct sock *)&t;
	static struct sk_buff head;
	u32 i, state = TCP_CA_Open, ns_a_seg = 20000, base_us = 2000, policed = 0, burst = 1;
	bool no_rtt;
	u64 sent_at[1 << 12] = { 0 };	/* when the segment that brought `delivered` to n had left, us */

	if (argc < 4)
		return 2;
	events = draws = strtoull(argv[1], NULL, 10);
	hz = strtoul(argv[3], NULL, 10);
	for (int a = 4; a < argc; a++) {
		char *value = strchr(argv[a], '=');
		int found = 0;

		*value++ = 0;
		for (int k = 0; k < known_count; k++)
			if (!strcmp(known[k].name, argv[a]))
				*known[k].value = strtoul(value, NULL, 10), found = 1;
		if (!found)
			return 3;
	}
#ifdef BPF_CONTROL
	control = &BPF_CONTROL;
#endif
	now_us = 5000000 + upto(1000000);
	t.mss_cache = 1448;
	t.snd_cwnd = 10;
	t.snd_cwnd_clamp = ~0U;
	t.delivered_mstamp = t.tcp_mstamp = now_us;
	t.delivered = upto(1) ? 1 : ~0U - 5000;
	t.snd_wnd = 4 << 20;
	t.rtt_min.s[0].v = once_in(3) ? ~0U : base_us;
	no_rtt = once_in(3);
	t.srtt_us = no_rtt ? 0 : base_us << 3;
	sk->sk_max_pacing_rate = once_in(8) ? 3000000 : ~0UL;
	sk->sk_pacing_shift = 10 - upto(5);
	control->init(sk);
	for (i = 0; i < strtoul(argv[2], NULL, 10); i++) {
		struct rate_sample rs = { 0 };
		u32 acked, lost = 0, flight, queue_us, k;
		long took;

		if (once_in(1500)) {
			ns_a_seg = 2000 + upto(200000);
			base_us = 200 + upto(20000);
			burst = 1 + (once_in(2) ? upto(40) : 0);
			policed = once_in(2) ? ns_a_seg : 0;
		}
		acked = once_in(25) ? 0 : 1 + upto(burst);
		if (acked > t.snd_cwnd)
			acked = t.snd_cwnd;
		if (once_in(40) || (policed && once_in(3)))
			lost = 1 + upto(policed ? acked + 2 : 2);
		now_us += (u64)(acked + 1) * ns_a_seg / 1000 + upto(50);
		if (once_in(3000))
			now_us += upto(12000000);
		t.tcp_mstamp = now_us;
		if (acked)
			t.delivered_mstamp = now_us;
		for (k = 0; k < acked; k++)
			sent_at[++t.delivered & 0xfff] = now_us;
		t.lost += lost;
		flight = once_in(6) ? upto(t.snd_cwnd) : t.snd_cwnd;
		queue_us = (u64)flight * ns_a_seg / 1000;
		t.packets_out = flight + acked;
		t.sacked_out = state == TCP_CA_Open ? 0 : upto(acked);
		t.lost_out = lost < t.packets_out - t.sacked_out ? lost : 0;
		t.retrans_out = upto(t.lost_out);
		t.snd_una = t.delivered * 1448;
		t.snd_nxt = t.snd_una + t.packets_out * 1448;
		t.snd_wnd = once_in(12) ? t.packets_out * 1448 + upto(1600) : 4 << 20;
		/* A head that is shorter than a segment is all there is: bbr_dev.bpf.c, D2. */
		head.len = once_in(10) ? upto(1448) : 5 * 1448;
		head.seq = t.snd_nxt;
		sk->send_head = head.len && !once_in(15) ? &head : NULL;
		t.write_seq = t.snd_nxt + (sk->send_head ? head.len : 0);
		t.tcp_clock_cache = now_us * 1000;
		t.tcp_wstamp_ns = once_in(3) ? t.tcp_clock_cache + upto(3000000) : t.tcp_clock_cache - upto(1000000);
		if (t.app_limited && (s32)(t.delivered - t.app_limited) > 0)
			t.app_limited = 0;
		if (once_in(60)) {
			t.app_limited = t.delivered + flight ? t.delivered + flight : 1;
			control->cwnd_event(sk, once_in(5) ? CA_EVENT_CWND_RESTART : CA_EVENT_TX_START);
		}
		rs.acked_sacked = acked;
		rs.losses = lost;
		rs.prior_in_flight = flight + acked;
		rs.prior_delivered = t.delivered - (flight < 3000 ? flight : 3000) - acked;
		rs.delivered = once_in(90) ? -1 : (s32)(t.delivered - rs.prior_delivered);
		took = now_us - sent_at[rs.prior_delivered & 0xfff];
		rs.interval_us = once_in(90) ? -1 : sent_at[rs.prior_delivered & 0xfff] && took > 0 ? took : 1 + (long)queue_us;
		rs.rtt_us = once_in(10) || (no_rtt && i < 300) ? -1 : (long)(base_us + queue_us / (1 + upto(3)));
		rs.is_app_limited = t.app_limited != 0;
		rs.is_ack_delayed = once_in(5);
		if (rs.rtt_us > 0)
			t.srtt_us = (u32)rs.rtt_us << 3;

		/* tcp_fastretrans_alert() before cong_control(), as in tcp_ack() */
		if (state == TCP_CA_Open && lost && once_in(2)) {
			t.snd_ssthresh = control->ssthresh(sk);
			state = TCP_CA_Recovery;
		} else if (once_in(400)) {
			t.snd_ssthresh = control->ssthresh(sk);
			state = TCP_CA_Loss;
			t.snd_cwnd = t.packets_out + 1;
		} else if (state != TCP_CA_Open && once_in(15)) {
			state = TCP_CA_Open;
			if (once_in(30))
				t.snd_cwnd = control->undo_cwnd(sk);
		}
		if (t.inet_conn.icsk_ca_state != state) {
			control->set_state(sk, state);
			t.inet_conn.icsk_ca_state = state;
		}
		control->cong_control(sk, 0, 0, &rs);
		printf("%u cwnd %u rate %lu ssthresh %u app %u tso %u buf %u pacing %u\n", i, t.snd_cwnd, sk->sk_pacing_rate, t.snd_ssthresh,
		       t.app_limited, control->min_tso_segs(sk), control->sndbuf_expand(sk), sk->sk_pacing_status);
	}
	return 0;
}
