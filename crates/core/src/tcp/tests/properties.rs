//! What must hold after every single event, whatever the network does and wherever the sequence numbers wrap: the window is never below
//! one, the pacing rate is a rate, the sequence numbers are in order, and a socket with something to do has something pending.

use super::e2e::random_fault;
use super::pair::{Pair, cfg};
use crate::sim::{Auto, Rate, Span, Streams, Time};
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::*;
use proptest::prelude::*;

/// Bytes that a transfer has.
const BYTES: u64 = 250_000;
/// No network here is faster than this, bytes a second, by far.
const FASTEST: u64 = 1 << 40;

/// More events than any of these transfers has.
const MANY: u32 = 300_000;

/// What does not hold about a sender.
fn wrong(s: &Socket) -> Option<String> {
    let tp = &s.tp;
    let open =
        matches!(s.state, State::Established | State::FinWait1 | State::CloseWait | State::LastAck | State::Closing);
    if tp.snd_cwnd < 1 {
        return Some(format!("cwnd {}", tp.snd_cwnd));
    }
    if tp.snd_ssthresh < 2 {
        return Some(format!("ssthresh {}", tp.snd_ssthresh));
    }
    // Until the first RTT is known the rate may be unlimited.
    if open && tp.srtt_us != 0 && tp.delivered > 2 && (tp.pacing_rate == 0 || tp.pacing_rate > FASTEST) {
        return Some(format!("pacing rate {}", tp.pacing_rate));
    }
    if before(tp.snd_nxt, tp.snd_una) || before(tp.write_seq, tp.snd_nxt) {
        return Some(format!("snd_una {} snd_nxt {} write_seq {}", tp.snd_una, tp.snd_nxt, tp.write_seq));
    }
    // Else the send buffer holds an skb that has gone (sk_wmem_queued).
    if s.app.ends.front().is_some_and(|&end| !after(end, tp.snd_nxt)) {
        return Some(format!("an skb in line ends at {:?}, snd_nxt is {}", s.app.ends.front(), tp.snd_nxt));
    }
    if tp.left_out() > tp.packets_out {
        return Some(format!("{} out, {} SACKed, {} lost", tp.packets_out, tp.sacked_out, tp.lost_out));
    }
    if open && tp.packets_out > 0 && s.timers.pending == Pending::Nothing {
        return Some(format!("{} out and no timer", tp.packets_out));
    }
    let window = before(tp.snd_nxt, tp.wnd_end());
    if open && tp.unsent() > 0 && window && s.wake_at().is_never() && s.tsq.wmem_alloc() == 0 {
        return Some(format!("{} bytes wait for nothing", tp.unsent()));
    }
    None
}

/// What does not hold about a receiver.
fn confused(s: &Socket) -> Option<String> {
    let r = &s.rcv;
    let odd = before(r.rcv_nxt, r.copied_seq) || before(r.rcv_nxt, r.rcv_wup) || s.info(Time::ZERO).rcv_wnd > 1 << 30;
    odd.then(|| format!("copied {} wup {} nxt {}", r.copied_seq, r.rcv_wup, r.rcv_nxt))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_event_leaves_a_sound_socket(
        cc in 0..Cc::ALL.len(),
        seed in any::<u64>(),
        // Most connections wrap within the transfer.
        before_wrap in 0u32..400_000,
        per_mille in 0u32..150,
        limit in 3usize..200,
        rtt_us in 200i64..80_000,
        mbit in 1u64..200,
        profile in 0..Profile::ALL.len(),
        gso in any::<bool>(),
        ecn in any::<bool>(),
        paced in any::<bool>(),
        timestamps in prop::sample::select(vec![true, true, true, false]),
        hz in prop::sample::select(vec![100u32, 250, 1000]),
    ) {
        let gso_max_segs = if gso { Auto::Auto } else { Auto::Set(1) };
        let p0 = Params { cc: Cc::ALL[cc], gso_max_segs, ecn, enforce_pacing: paced, ..Params::default() };
        let start = 0u32.wrapping_sub(before_wrap);
        let tune = |client| Config { profile: Profile::ALL[profile], hz, ..cfg(p0, client, start) };
        let mut p = Pair::new(tune(true), tune(false), Rate::from_mbit(mbit), Span::from_us(rtt_us), limit);
        // Without timestamps nothing tells a retransmission's round trip, and Eifel does not help.
        p.c.opts.timestamps = timestamps;
        let (mut a, mut b) = (Streams::new(seed).get("net", "forward"), Streams::new(seed).get("net", "back"));
        p.fwd = Box::new(move |_, _, _| random_fault(a.bits() as u32, per_mille));
        p.rev = Box::new(move |_, _, _| random_fault(b.bits() as u32, per_mille));
        p.start(Some(BYTES));
        let mut events = 0u32;
        while let Some(at) = p.q.peek().filter(|&t| t < Time::from_s(2_000)) {
            p.until(at);
            events += 1;
            prop_assert!(events < MANY, "{events} events, and no end: {:?}\n{:?}", p.info(), p.c.stats());
            for (who, wrong) in [("client", wrong(&p.c)), ("server", wrong(&p.s)), ("receiver", confused(&p.s))] {
                prop_assert!(wrong.is_none(), "{who} at {at:?}: {}\n{:?}\n{:?}", wrong.unwrap(), p.info(), p.c.stats());
            }
            if p.s.info(Time::ZERO).bytes_received == BYTES && p.info().unacked == 0 {
                break;
            }
        }
        prop_assert_eq!(p.s.info(Time::ZERO).bytes_received, BYTES, "{:?} {:?}", p.info(), p.c.stats());
    }
}
