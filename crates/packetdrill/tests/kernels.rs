//! What tells the senders of older kernels apart, as scripts: the same beginning, and what each kernel does then.

use wavetank_packetdrill::{Options, Verdict, parse, run_script};

/// Ten segments of 1000 bytes are out, in ten packets, and an RTT of 100 ms is known.
const TEN_OUT: &str = r#"
`sysctl -q net.ipv4.tcp_congestion_control=reno
sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456" net.ipv4.tcp_wmem="4096 262144 4194304"`

    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
"#;

fn run(beginning: &str, kernel: &str, then: &str) -> (Verdict, String) {
    run_at(1_000, beginning, kernel, then)
}

fn run_at(hz: u32, beginning: &str, kernel: &str, then: &str) -> (Verdict, String) {
    let script = parse(&format!("{beginning}{then}")).unwrap_or_else(|e| panic!("{e}"));
    let profile = wavetank_core::tcp::Profile::named(kernel).expect("a kernel");
    let r = run_script(&script, &Options { profile, hz, ..Options::default() });
    (r.verdict, format!("{kernel}: {:?} {:?}\n{}", r.failure, r.skipped.first(), r.trace.join("\n")))
}

/// The script holds under the first kernels and not under the others.
fn holds(under: &[&str], not: &[&str], then: &str) {
    holds_after(TEN_OUT, under, not, then);
}

fn holds_after(beginning: &str, under: &[&str], not: &[&str], then: &str) {
    let of = |kernels: &[&str], verdict| {
        for k in kernels {
            let (got, told) = run(beginning, k, then);
            assert_eq!(got, verdict, "{told}");
        }
    };
    of(under, Verdict::Pass);
    of(not, Verdict::Fail);
}

#[test]
fn one_sack_far_ahead_is_enough_for_fack() {
    // The fifth segment is SACKed: five up to it, less three.
    let then = r#"
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 4001:5001>
   +0 > . 1:1001(1000) ack 1
   +0 %{ assert tcpi_ca_state == TCP_CA_Recovery and tcpi_lost == 2, tcpi_lost }%
"#;
    holds(&["3.10", "3.18"], &["4.14", "4.19", "6.12"], then);
}

#[test]
fn rack_needs_no_more_than_one_sack_and_a_quarter_of_the_rtt() {
    let then = r#"
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 1001:2001>
   +0 %{ assert tcpi_ca_state == TCP_CA_Disorder, tcpi_ca_state }%
+.025~+.031 > . 1:1001(1000) ack 1
"#;
    holds(&["4.14", "4.19", "6.12"], &["3.10", "3.18"], then);
}

#[test]
fn few_segments_were_retransmitted_early() {
    // Two of two are out and the second is SACKed: a quarter of the RTT later; RACK's timer has two jiffies more.
    let then = r#"
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 1001:2001>
+.025~+.026 > . 1:1001(1000) ack 1
   +0 %{ assert tcpi_ca_state == TCP_CA_Recovery and tcpi_rto >= 200000, tcpi_rto }%
"#;
    holds(&["3.10", "3.18"], &[], then);
}

#[test]
fn two_segments_are_probed_for_after_two_round_trips() {
    // Exactly then before 4.13, two jiffies later since.
    let then = r#"
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
+.2 %{ assert tcpi_retrans == 0, tcpi_retrans }%
 +0~+.004 > P. 1001:2001(1000) ack 1
"#;
    holds(&["3.10", "3.18", "4.14", "6.12"], &[], then);
}

#[test]
fn a_probe_waited_until_nothing_more_could_be_sent() {
    // The peer's window has room for two segments, the congestion window for ten: before 4.16 there is no probe, and the RTO comes, 100 ms later.
    // In 3.18 an skb had two segments at this rate, and was sent while nothing else was written: a probe is armed, finds new data that the
    // window has no room for, and the RTO counts from then.
    let then = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 16
   +0 write(4, ..., 10000) = 10000
   +0 > . 1001:3001(2000) ack 1
+.2~+.206 > . 2001:3001(1000) ack 1
"#;
    let timeout = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 16
   +0 write(4, ..., 10000) = 10000
   +0 > . 1001:3001(2000) ack 1
+.3~+.306 > . 1001:2001(1000) ack 1
"#;
    let in_vain = timeout.replace("+.3~+.306", "+.5~+.514");
    holds(&["4.19"], &["3.10", "3.18", "4.14"], then);
    holds(&["4.14"], &["3.10", "3.18", "4.19"], timeout);
    holds(&["3.10", "3.18"], &["4.14", "4.19"], &in_vain);
}

#[test]
fn what_is_sent_after_the_last_was_sacked_passed_for_reordered() {
    // This one and those below gave the same on 4.19.48, 5.4.59, 5.15.148, 6.1.192 and 6.12 themselves, in virtual time; the other kernels'
    // answers are read in their sources.
    let then = r#"
   +0 write(4, ..., 4000) = 4000
   +0 > P. 1:4001(4000) ack 1
  +.1 < . 1:1(0) ack 2001 win 1000 <nop,nop,sack 3001:4001>
   +0 write(4, ..., 2000) = 2000
   +0 > P. 4001:6001(2000) ack 1
 +.01 < . 1:1(0) ack 2001 win 1000 <nop,nop,sack 3001:5001>
   +0 %{ assert tcpi_reord_seen == 0, tcpi_reord_seen }%
"#;
    holds(&["4.14", "5.4", "5.15.148", "6.1.192", "6.12"], &["4.19"], then);
}

#[test]
fn what_went_again_went_beyond_the_window() {
    let then = r#"
   +0 write(4, ..., 3000) = 3000
   +0 > P. 1:3001(3000) ack 1
  +.1 < . 1:1(0) ack 1001 win 4
 +.01 < . 1:1(0) ack 1001 win 4 <nop,nop,sack 2001:3001>
+.02~+.4 > . 1001:2001(1000) ack 1
"#;
    holds(&["4.19", "5.4", "5.10"], &["5.10.262", "5.15.148", "6.1.192", "6.12"], then);
}

#[test]
fn what_comes_early_told_nothing_of_segments() {
    let then = r#"
   +0 < . 1461:2921(1460) ack 1 win 1000
   +0 > . 1:1(0) ack 1 <nop,nop,sack 1461:2921>
   +0 %{ assert tcpi_rcv_mss == 536, tcpi_rcv_mss }%
"#;
    holds(&["4.19", "5.4", "5.15.148", "6.1.192"], &["6.6.129", "6.12"], then);
}

#[test]
fn a_window_of_zero_was_not_believed_of_a_segment_that_is_no_newer() {
    let then = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 1000
 +.01 < . 1:1(0) ack 1001 win 0
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1001:2001(1000) ack 1
"#;
    holds(&["4.19", "5.4", "5.15.148", "6.1.192"], &["6.6.129", "6.12"], then);
}

#[test]
fn a_fin_waited_for_no_congestion_window() {
    let then = r#"
   +0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
   +0 shutdown(4, SHUT_WR) = 0
   +0 > F. 10001:10001(0) ack 1
"#;
    holds(&["4.19", "5.4", "5.15.148", "6.1.192", "6.6.129"], &["6.12"], then);
}

#[test]
fn a_window_shut_over_what_is_out_did_not_count_for_the_backoff() {
    // Not a probe for the tail, but the timeout.
    let beginning = TEN_OUT.replace("control=reno", "control=reno net.ipv4.tcp_early_retrans=0");
    let then = r#"
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
  +.1 < . 1:1(0) ack 1001 win 0
+.2~+.6 > P. 1001:2001(1000) ack 1
   +0 %{ assert tcpi_backoff == 0, tcpi_backoff }%
"#;
    holds_after(&beginning, &["4.19", "6.6.129"], &["6.12"], then);
}

#[test]
fn without_sack_an_undone_timeout_was_over_at_once() {
    let beginning = TEN_OUT.replace("sackOK,nop,nop,nop,wscale 7", "nop,wscale 7");
    let then = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 16
   +0 write(4, ..., 3000) = 3000
   +0 > P. 1001:3001(2000) ack 1
+.2~+.4 > . 1001:2001(1000) ack 1
 +.01 < . 1:1(0) ack 2001 win 16
   +0 > P. 3001:4001(1000) ack 1
 +.01 < . 1:1(0) ack 3001 win 16
   +0 %{ assert tcpi_ca_state == 0, tcpi_ca_state }%
"#;
    holds_after(&beginning, &["5.4"], &["5.15.148", "6.12"], then);
}

#[test]
fn a_window_grew_with_what_came_early_without_sack() {
    let beginning = TEN_OUT.replace("sackOK,nop,nop,nop,wscale 7", "nop,wscale 7");
    let then = r#"
   +0 < . 1461:2921(1460) ack 1 win 1000
   +0 > . 1:1(0) ack 1 win 502
"#;
    holds_after(&beginning, &["5.4", "6.12"], &["4.19"], then);
}

#[test]
fn a_servers_buffers_had_their_sizes_before_its_timestamps_room() {
    let beginning = TEN_OUT
        .replace("sackOK,nop,nop,nop,wscale 7", "sackOK,TS val 100 ecr 0,nop,wscale 7")
        .replace("ack 1 <...>", "ack 1 <mss 1460,sackOK,TS val 400 ecr 100,nop,wscale 7>")
        .replace("ack 1 <...>", "ack 1 <mss 1460,nop,nop,TS val 100 ecr 100,nop,wscale 7>")
        .replace("ack 1 win 1000", "ack 1 win 1000 <nop,nop,TS val 200 ecr 400>");
    for (kernel, bound) in [("5.4", 64_076), ("5.15.148", 64_076), ("5.10.262", 64_088), ("6.12", 64_088)] {
        let then = format!("+0 %{{ assert tcpi_rcv_ssthresh == {bound}, tcpi_rcv_ssthresh }}%\n");
        holds_after(&beginning, &[kernel], &[], &then);
    }
}

#[test]
fn the_degree_of_reordering_only_grew() {
    // This one and those below gave the same on 4.14.67 and the others that they name, in virtual time.
    let beginning = TEN_OUT.replace("sackOK,nop,nop,nop,wscale 7", "nop,wscale 7");
    let then = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000
   +0 %{ assert tcpi_reordering == 3, tcpi_reordering }%
"#;
    holds_after(&beginning, &["4.14"], &["4.19", "5.4", "5.15.148", "6.1.192", "6.12"], then);
}

#[test]
fn a_servers_window_was_set_behind_the_start_of_its_control() {
    let beginning = TEN_OUT.replace("control=reno", "control=hybla");
    let then = "+0 %{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }%\n";
    holds_after(&beginning, &["4.14"], &["4.19", "5.4", "5.15.148", "6.1.192", "6.12"], then);
}

#[test]
fn nv_halved_its_window() {
    let beginning = TEN_OUT.replace("control=reno", "control=nv net.ipv4.tcp_early_retrans=0");
    let then = r#"
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
+.2~+.4 > . 1:1001(1000) ack 1
   +0 %{ assert tcpi_snd_ssthresh == 5, tcpi_snd_ssthresh }%
"#;
    holds_after(&beginning, &["4.14"], &["4.19", "5.4", "5.15.148", "6.1.192", "6.12"], then);
}

#[test]
fn an_skb_that_was_one_segment_went_by_the_segment() {
    // SACK blocks have made segments shorter meanwhile.
    let then = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 0
   +0 write(4, ..., 1000) = 1000
  +.1 < . 1001:2001(1000) ack 1001 win 0
   +0 > . 1001:1001(0) ack 1 <nop,nop,sack 1001:2001>
 +.01 < . 2001:2001(0) ack 1001 win 1000
   +0 > . 1001:1989(988) ack 1 <nop,nop,sack 1001:2001>
   +0 > P. 1989:2001(12) ack 1 <nop,nop,sack 1001:2001>
"#;
    holds(&["4.14", "4.19", "5.4", "5.15.148", "6.1.192"], &["6.12"], then);
}

#[test]
fn what_is_left_of_one_segment_is_counted_anew() {
    // It was one while the window was shut; the route changes, and segments have 48 bytes.
    let then = r#"
   +0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
  +.1 < . 1:1(0) ack 1001 win 0
   +0 write(4, ..., 192) = 192
   +0 `ip route change 192.0.2.0/24 via 192.168.0.1 dev tun0 mtu 1400`
  +.1 < . 1:1(0) ack 1001 win 1000
   +0 > . 1001:1049(48) ack 1
   +0 > P. 1049:1193(144) ack 1
"#;
    holds(&["5.4", "5.15.148", "6.1.192", "6.6.129"], &["6.12"], then);
}

#[test]
fn three_replies_are_asked_for_where_only_the_first_data_behind_others_are_one() {
    // Three writes follow one segment: where each counts, or one is enough, the next segment's ACK waits (tcp_event_data_sent).
    let then = r#"
   +0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0
   +0 < P. 1:1001(1000) ack 1 win 1000
   +0 > . 1:1(0) ack 1001
   +0 read(4, ..., 1000) = 1000
   +0 write(4, ..., 100) = 100
   +0 > P. 1:101(100) ack 1001
   +0 write(4, ..., 100) = 100
   +0 > P. 101:201(100) ack 1001
   +0 write(4, ..., 100) = 100
   +0 > P. 201:301(100) ack 1001
 +.02 < P. 1001:2001(1000) ack 301 win 1000
   +0 > . 301:301(0) ack 2001
"#;
    holds(&["5.4", "5.10"], &["4.14", "4.19", "5.10.262", "5.15.148", "6.1.192", "6.12"], then);
}

#[test]
fn pages_stay_set_aside_until_a_timer_gives_them_back() {
    // What was read leaves its page, what is written takes of it; the transmit timer is off when it fires, and does its work all the same
    // (tcp_write_timer_handler).
    let then = r#"
   +0 < P. 1:1001(1000) ack 1 win 1000
   +0 > . 1:1(0) ack 1001
   +0 read(4, ..., 1000) = 1000
   +0 %{ assert SK_MEMINFO_FWD_ALLOC == 4096, SK_MEMINFO_FWD_ALLOC }%
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1001
   +0 %{ assert SK_MEMINFO_FWD_ALLOC == 4080, SK_MEMINFO_FWD_ALLOC }%
  +.1 < . 1001:1001(0) ack 10001 win 1000
   +0 %{ assert SK_MEMINFO_FWD_ALLOC == 20480, SK_MEMINFO_FWD_ALLOC }%
   +1 %{ assert SK_MEMINFO_FWD_ALLOC == 0, SK_MEMINFO_FWD_ALLOC }%
"#;
    holds(&["5.4", "5.15.148"], &["6.1.192", "6.12"], then);
}

#[test]
fn a_route_that_is_no_more_is_loopbacks_or_no_devices() {
    let then = r#"
  +.1 `ip route change 192.0.2.0/24 via 192.168.0.1 dev tun0 mtu 1400`
  +.2 write(4, ..., 10) = 10
   +0 > P. 1:11(10) ack 1
   +0 %{ assert tcpi_snd_mss == 48 and tcpi_pmtu == 68, (tcpi_snd_mss, tcpi_pmtu) }%
"#;
    holds(&["5.4", "5.15.148", "6.12"], &["4.14", "4.19"], then);
    holds(&["4.14", "4.19"], &["5.4", "6.12"], &then.replace("== 48", "== 1000").replace("== 68", "== 65535"));
}

#[test]
fn a_window_is_probed_no_later_than_the_program_waits() {
    let shut = TEN_OUT.replace("win 1000", "win 0");
    let then = r#"
  +.1 write(4, ..., 1000) = 1000
 +.2~+.4 > . 0:0(0) ack 1
  +.1 < . 1:1(0) ack 1 win 0
  +.1 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [150], 4) = 0
  +.05 < . 1:1(0) ack 1 win 0
  +.05 < . 1:1(0) ack 1 win 0
   +0 > R 1:1(0)
"#;
    holds_after(&shut, &["6.12"], &["4.19", "5.4", "5.15.148", "6.1.192"], then);
}

#[test]
fn blocks_look_at_the_route() {
    let then = r#"
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
   +0 `ip route change 192.0.2.0/24 via 192.168.0.1 dev tun0 mtu 1400`
 +.05 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 1001:2001>
   +0 %{ assert tcpi_pmtu != 1500, tcpi_pmtu }%
"#;
    holds(&["4.19", "5.4", "5.15.148", "6.6.129", "6.12"], &["3.18", "4.14"], then);
}

#[test]
fn a_window_that_was_shut_over_what_is_out_ends_a_connection_by_each_kernels_clock() {
    let no_probes = TEN_OUT.replace("=reno", "=reno net.ipv4.tcp_early_retrans=0");
    // The program waits for half a second. The peer is alive, but acknowledges nothing: 800 ms later, at 100 Hz, are 80
    // jiffies, which 6.1 takes for milliseconds.
    let then = r#"
   +0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [500], 4) = 0
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
 +.05 < . 1:1001(1000) ack 1 win 1000
   +0 > . 1001:1001(0) ack 1001
   +0 < . 1001:2001(1000) ack 1 win 0
   +0 > . 1:1(0) ack 2001
+.2~+.35 > P. 1:1001(1000) ack 2001
  +.4 < . 2001:3001(1000) ack 1 win 0
   +0 > . 1:1(0) ack 3001
+.1~+.6 > P. 1:1001(1000) ack 3001
"#;
    for (kernel, verdict) in [
        ("4.14", Verdict::Pass),
        ("5.4", Verdict::Pass),
        ("5.15.148", Verdict::Pass),
        ("6.1.192", Verdict::Pass),
        ("6.6.129", Verdict::Pass),
        ("6.12", Verdict::Fail),
    ] {
        let (got, told) = run_at(100, &no_probes, kernel, then);
        assert_eq!(got, verdict, "{told}");
    }
    // At 1000 Hz the two are the same.
    holds_after(&no_probes, &["4.14", "5.4", "5.15.148"], &["6.1.192", "6.6.129", "6.12"], then);
    // Nothing is heard for two and a half minutes, which is too long before 6.6; for as long as TCP_USER_TIMEOUT says,
    // which was no matter.
    let silent = r#"
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
 +.05 < . 1:1001(1000) ack 1 win 1000
   +0 > . 1001:1001(0) ack 1001
   +0 < . 1001:2001(1000) ack 1 win 0
   +0 > . 1:1(0) ack 2001
+.2~+.35 > P. 1:1001(1000) ack 2001
  +.5~+.7 > P. 1:1001(1000) ack 2001
  +1~+1.4 > P. 1:1001(1000) ack 2001
  +2~+2.8 > P. 1:1001(1000) ack 2001
  +4~+5 > P. 1:1001(1000) ack 2001
  +9~+11 > P. 1:1001(1000) ack 2001
  +18~+21 > P. 1:1001(1000) ack 2001
  +37~+41 > P. 1:1001(1000) ack 2001
  +72~+81 > P. 1:1001(1000) ack 2001
"#;
    holds_after(&no_probes, &["5.15.148", "6.1.192", "6.12"], &["4.14", "5.4", "5.10"], silent);
    let (some, _) = silent.split_once("  +37~+41").expect("the last two");
    let user = format!(
        "   +0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [50000], 4) = 0\n{some}  +5~+20 > P. 1:1001(1000) ack 2001\n"
    );
    holds_after(&no_probes, &["5.4", "5.15.148"], &["6.1.192", "6.12"], &user);
}

#[test]
fn without_sack_what_undoes_a_recovery_passed_for_reordered_by_all_that_is_out() {
    // The hole is filled by the original, as its timestamp tells: reordering goes as far as the highest SACKed segment,
    // which there never was (tcp_highest_sack_seq of 4.19).
    let stamps = TEN_OUT
        .replace("mss 1000,sackOK,nop,nop,nop,wscale 7", "mss 1012,nop,nop,TS val 100 ecr 0,nop,wscale 7")
        .replace("ack 1 <...>", "ack 1 <mss 1460,nop,nop,TS val 100 ecr 100,nop,wscale 7>")
        .replace("ack 1 win 1000", "ack 1 win 1000 <nop,nop,TS val 200 ecr 100>");
    let again = "< . 1:1(0) ack 1 win 1000 <nop,nop,TS val 300 ecr 200>";
    let then = format!(
        r#"
   +0 write(4, ..., 5000) = 5000
   +0 > P. 1:5001(5000) ack 1 <nop,nop,TS val 200 ecr 200>
  +.1 {again}
   +0 {again}
   +0 {again}
   +0 > . 1:1001(1000) ack 1 <nop,nop,TS val 300 ecr 300>
  +.1 < . 1:1(0) ack 1001 win 1000 <nop,nop,TS val 400 ecr 200>
   +0 %{{ assert tcpi_reordering == 5, tcpi_reordering }}%
"#
    );
    holds_after(&stamps, &["4.19"], &["5.4", "5.15.148", "6.12"], &then);
    holds_after(&stamps, &["5.4", "5.15.148", "6.12"], &["4.19"], &then.replace("== 5", "== 3"));
}

#[test]
fn a_small_buffers_first_round_trip_was_held_against_the_whole_window() {
    let small = TEN_OUT.replace("4096 131072 6291456", "4096 16384 200000");
    let then = "   +0 %{ assert tcpi_rcv_space == 7300, tcpi_rcv_space }%\n";
    holds_after(&small, &["4.19", "5.4"], &["5.10", "5.15.148", "6.12"], then);
}

#[test]
fn an_skb_that_went_again_for_nothing_was_one_to_an_undo() {
    // Four segments go again, in two skbs. Three of them came twice, a segment and an skb of two, and then the fourth: by segments nothing is
    // left to wait for, by skbs one.
    let then = r#"
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 4001:10001>
   +0 > P. 1:4001(4000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,sack 1001:4001 1001:10001>
   +0 < . 1:1(0) ack 1001 win 1000 <nop,nop,sack 1:1001 2001:10001>
 +.01 < . 1:1(0) ack 1001 win 1000 <nop,nop,sack 1:1001 3001:10001>
   +0 %{ assert tcpi_ca_state == TCP_CA_Recovery, tcpi_ca_state }%
"#;
    holds(&["5.4", "5.10"], &["5.10.262", "5.15.148", "6.1.192", "6.6.129", "6.12"], then);
}

#[test]
fn a_program_that_waits_for_less_than_a_timeout_saw_no_probe_of_a_window() {
    // The first probe would go after 300 ms, and the program waits for 200: from 5.1 on what the probe's timeout comes to counted, from 5.11
    // on the time since the first one.
    let then = r#"
   +0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [200], 4) = 0
   +0 < . 1:1001(1000) ack 1 win 1000
   +0 > . 1:1(0) ack 1001
   +0 < . 1001:2001(1000) ack 1 win 0
   +0 > . 1:1(0) ack 2001
   +0 write(4, ..., 1000) = 1000
 +.25~+.36 > . 0:0(0) ack 2001
"#;
    holds(&["4.14", "4.19", "5.10.262", "5.15.148", "6.12"], &["5.4", "5.10"], then);
}
