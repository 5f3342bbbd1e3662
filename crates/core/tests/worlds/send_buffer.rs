//! A program that waits for room in its send buffer has not run out of data.

use wavetank_core::net::World;
use wavetank_core::scenario::{Source, read};
use wavetank_core::sim::Time;

/// 50 Mbit/s and 200 ms behind a deep FIFO: twice the product is more than the send buffer, so that the sender sends all it has and waits for
/// room. Linux asks whether a program limits the flow as a call to write begins (net/ipv4/tcp.c tcp_sendmsg_locked), not as it wakes within one;
/// where it did, BBR would count no rounds, stay in Startup and fill the queue. The real kernel: srtt 200.1 ms, cwnd 1664.
#[test]
fn bbr_leaves_startup_where_the_send_buffer_limits_it() {
    let text = "name = \"x\"\n[topology]\nkind = \"wired\"\n[htb]\nrate = \"50 Mbit/s\"\nleaf = \"pfifo\"\n[pfifo]\nlimit = 20000\n\
                [netem]\ndelay = \"200 ms\"\nlimit = 100000\n[tcp]\ncc = \"bbr\"\nrmem_max = \"64 MiB\"\n\
                [time]\nlead_in = \"1 s\"\nflows = \"20 s\"\nwarmup = \"10 s\"\ntail = \"0 s\"\n[traffic]\ntcp_up = 1\n";
    let s = read(&Source { path: "x.toml", text }, &[]).unwrap();
    let mut world = World::new(&s).unwrap();
    world.run_until(Time::NEVER);
    let out = world.finish();
    let flow = &out.flows[0];
    let window = out.window;
    assert!(flow.goodput_mbit(window) > 44.0);
    let late = flow.series.t.iter().zip(&flow.series.srtt_ms).filter(|(t, _)| **t >= 11.0);
    let mut late: Vec<f64> = late.map(|(_, v)| *v).collect();
    late.sort_by(f64::total_cmp);
    let srtt = late[late.len() / 2];
    assert!(srtt < 210.0, "{srtt} ms");
}

/// A send buffer of 64 KiB takes an skb of 45 segments and what splitting leaves of it. What goes below, and so what there is to fill up, depends on
/// when the path takes packets: a program is interrupted by softirqs behind each skb that it pushes, the last skb in line begins where sending has
/// split it, and a call's end pushes. The real kernel: 51.4 Mbit/s.
#[test]
fn a_small_send_buffer_lets_out_what_the_kernels_does() {
    let text = "name = \"x\"\n[topology]\nkind = \"wired\"\n[bottleneck]\nplace = \"local\"\n[htb]\nrate = \"100 Mbit/s\"\nleaf = \"fq_codel\"\n\
                [netem]\ndelay = \"10 ms\"\nlimit = 100000\n[tcp]\ncc = \"reno\"\nwmem_max = \"64 KiB\"\nmax_header = 96\nrx_truesize = \"2344 B\"\nrx_pages = true\n[host]\nhz = 100\nsoftirq_first = false\n\
                [time]\nlead_in = \"1 s\"\nflows = \"8 s\"\nwarmup = \"4 s\"\ntail = \"0 s\"\n[traffic]\ntcp_up = 1\nstart_jitter = \"0 ns\"\n";
    let s = read(&Source { path: "x.toml", text }, &[]).unwrap();
    let mut world = World::new(&s).unwrap();
    world.run_until(Time::NEVER);
    let out = world.finish();
    let goodput = out.flows[0].goodput_mbit(out.window);
    assert!((50.4..52.4).contains(&goodput), "{goodput} Mbit/s");
}
