/* SPDX-License-Identifier: GPL-2.0 */
/* What a congestion control sees of a socket, and the helpers it calls, for a program of the host (linux/tests/bbr-bpf). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef u32 __u32;

enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART };
enum { SK_PACING_NONE, SK_PACING_NEEDED };

struct sk_buff { u32 len, seq; };
struct sock {
	unsigned long sk_pacing_rate, sk_max_pacing_rate;
	u32 sk_pacing_status;
	u8 sk_pacing_shift;
	struct sk_buff *send_head;
};
struct inet_connection_sock { struct sock sk; u8 icsk_ca_state; u64 icsk_ca_priv[13]; };
#ifdef AS_KERNEL
#include <linux/win_minmax.h>
#else
struct minmax { struct { u32 t, v; } s[3]; };
#endif
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 mss_cache, srtt_us, snd_cwnd, snd_cwnd_clamp, snd_ssthresh, delivered, lost, app_limited;
	u32 packets_out, sacked_out, lost_out, retrans_out, snd_una, snd_nxt, snd_wnd, write_seq;
	u64 delivered_mstamp, tcp_mstamp, tcp_clock_cache, tcp_wstamp_ns;
	struct minmax rtt_min;
};
struct rate_sample {
	u64 prior_mstamp;
	u32 prior_delivered;
	s32 delivered;
	long interval_us, rtt_us;
	int losses;
	u32 acked_sacked, prior_in_flight;
	bool is_app_limited, is_retrans, is_ack_delayed;
};
union tcp_cc_info { struct { u32 bbr_bw_lo, bbr_bw_hi, bbr_min_rtt, bbr_pacing_gain, bbr_cwnd_gain; } bbr; };
struct tcp_congestion_ops {
	const char *name;
	void *owner;
	u32 flags;
	void (*init)(struct sock *);
	void (*cong_control)(struct sock *, u32, int, const struct rate_sample *);
	u32 (*sndbuf_expand)(struct sock *);
	u32 (*undo_cwnd)(struct sock *);
	void (*cwnd_event)(struct sock *, enum tcp_ca_event);
	u32 (*ssthresh)(struct sock *);
	u32 (*min_tso_segs)(struct sock *);
	size_t (*get_info)(struct sock *, u32, int *, union tcp_cc_info *);
	void (*set_state)(struct sock *, u8);
};

extern u64 now_us;
extern unsigned long hz;
u32 chance(void);
extern struct tcp_congestion_ops *control;
void parameter(const char *name, u32 *value);

#ifdef AS_KERNEL
#define HZ hz
#define tcp_jiffies32 ((u32)(now_us * hz / 1000000))
#define get_random_u32_below(n) (chance() % (n))
#define USEC_PER_SEC 1000000UL
#define USEC_PER_MSEC 1000UL
#define NSEC_PER_USEC 1000UL
#define TCP_INIT_CWND 10
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_CONG_NON_RESTRICTED 1
#define GSO_LEGACY_MAX_SIZE 65536u
#define MAX_TCP_HEADER 320
#define INET_DIAG_BBRINFO 16
#define INET_DIAG_VEGASINFO 3
#define ICSK_CA_PRIV_SIZE sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv)
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, v) ((x) = (v))
#define unlikely(x) (x)
#define __bpf_kfunc
#define __read_mostly
#define __init
#define __exit
#define WARN_ONCE(...) abort()
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define THIS_MODULE NULL
#define EXPORT_SYMBOL(x)
#define MODULE_LICENSE(x)
#define MODULE_DESCRIPTION(x)
#define MODULE_PARM_DESC(name, text)
#define KERNEL_VERSION(a, b, c) ((a) << 16 | (b) << 8 | (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)
#define PAGE_SIZE 4096
#define ERANGE 34
#define EINVAL 22
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(t, a, b) min((t)(a), (t)(b))
#define max_t(t, a, b) max((t)(a), (t)(b))
#define do_div(n, by) ((n) /= (by))
#define div_u64(n, by) ((u64)(n) / (by))
#define div64_long(n, by) ((s64)(n) / (by))
#define cmpxchg(p, old, new) do { if (*(p) == (old)) *(p) = (new); } while (0)
#define scnprintf snprintf

struct kernel_param { void *arg; };
struct kernel_param_ops { int (*set)(const char *, const struct kernel_param *); int (*get)(char *, const struct kernel_param *); };
#define module_param_cb(name, ops, arg, mode) \
	static void __attribute__((constructor)) name##_known(void) { (void)(ops); parameter(#name, &(arg)->value); }
#define module_init(f) static void __attribute__((constructor)) at_init(void) { f(); }
#define module_exit(f) static void __attribute__((unused)) at_exit_(void) { f(); }

#include "win_minmax.c"

static inline int kstrtouint(const char *s, int base, unsigned int *v) { *v = strtoul(s, NULL, base); return 0; }
static inline int tcp_register_congestion_control(struct tcp_congestion_ops *c) { control = c; return 0; }
static inline void tcp_unregister_congestion_control(struct tcp_congestion_ops *c) { (void)c; }
static inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)sk; }
static inline struct inet_connection_sock *inet_csk(const struct sock *sk) { return (struct inet_connection_sock *)sk; }
static inline void *inet_csk_ca(const struct sock *sk) { return inet_csk(sk)->icsk_ca_priv; }
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 n) { tp->snd_cwnd = n; }
static inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return tp->rtt_min.s[0].v; }
static inline u32 tcp_packets_in_flight(const struct tcp_sock *tp) { return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out; }
static inline u32 tcp_stamp_us_delta(u64 a, u64 b) { return (s64)(a - b) > 0 ? a - b : 0; }
static inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
#define after(a, b) before(b, a)
static inline u32 msecs_to_jiffies(u32 ms) { return (ms * hz + 999) / 1000; }
static inline struct sk_buff *tcp_send_head(const struct sock *sk) { return sk->send_head; }
#define TCP_SKB_CB(skb) (skb)
static inline u32 tcp_wnd_end(const struct tcp_sock *tp) { return tp->snd_una + tp->snd_wnd; }
#else
#define SEC(x)
#define BPF_PROG(name, ...) name(__VA_ARGS__)
#define __always_inline inline
#define __kconfig
#define CONFIG_HZ hz
#define bpf_jiffies64() (now_us * hz / 1000000)
#define bpf_get_prandom_u32 chance
#endif
