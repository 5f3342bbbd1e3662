//! What a reorder buffer's timer lets go is no poll's, so that GRO does not merge it.

use super::*;
use crate::wifi::came::Frame;
use crate::wifi::{Came, Seq, Tid};

#[test]
fn what_a_timer_lets_go_came_with_no_frame() {
    let mut w = World::new(&config(1, ht(15)), 1);
    let (sta, tid) = (StaIx(1), Tid::default());
    let came = |seq| {
        let p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        Came { p, from: StaIx::AP, tid, frame: Frame::Numbered(Seq::new(seq)), last: None }
    };
    // Number 0 is lost: 1 and 2 wait for it.
    let take = |w: &mut World, n| {
        w.bss.receivers[1].take(Time::ZERO, &came(n), &[], |_| panic!("0 is missing"), &mut w.dropped)
    };
    let (at, buffer) = take(&mut w, 1).expect("a timer");
    take(&mut w, 2);
    w.bss.on(at, BssEvent::Reorder(sta, buffer), &mut w.out, &mut w.seen);
    assert_eq!(w.out.up.iter().map(|u| (u.to, u.frame)).collect::<Vec<_>>(), [(sta, None); 2]);
}
