//! Where skbs end in the write queue.

use super::app::App;
use crate::tcp::tp::Tp;

/// A sender with skbs that end at `ends` (bytes), the last of them unfinished, of which nothing is sent.
fn queue(ends: &[u32]) -> (App, Tp) {
    let mut tp = Tp::new(1000, 0);
    let mut app = App::new(1 << 20, 0);
    let (last, others) = ends.split_last().unwrap();
    (tp.write_seq, app.size_goal) = (*last, 4000);
    app.ends.extend(others);
    app.tail = *others.last().unwrap_or(&0);
    (app, tp)
}

fn sent(app: &mut App, tp: &mut Tp, upto: u32) {
    tp.snd_nxt = upto;
    app.sent(tp);
}

#[test]
fn what_a_window_splits_off_is_an_skb_of_its_own() {
    let (mut app, mut tp) = queue(&[4000, 8000, 9000]);
    app.split_head(1000);
    assert_eq!((app.head_skb(&tp), app.in_line(&tp)), ((1000, false), 4));
    sent(&mut app, &mut tp, 1000);
    assert_eq!((app.head_skb(&tp), app.in_line(&tp)), ((3000, false), 3));
}

#[test]
fn the_first_in_line_takes_from_the_next_alone() {
    let (mut app, mut tp) = queue(&[4000, 8000, 9000]);
    app.split_head(1000);
    sent(&mut app, &mut tp, 1000);
    app.grow_head(&tp, 1000);
    assert_eq!((app.head_skb(&tp).0, app.in_line(&tp)), (4000, 3));
    sent(&mut app, &mut tp, 5000);
    // The next has 1000 bytes: no more than these, though there is room for 4000.
    app.grow_head(&tp, 4000);
    assert_eq!((app.head_skb(&tp), app.in_line(&tp)), ((4000, true), 1));
    app.grow_head(&tp, 4000);
    assert_eq!(app.head_skb(&tp), (4000, true));
}

#[test]
fn nothing_is_added_behind_an_end_of_record() {
    let (mut app, tp) = queue(&[1000, 5000]);
    app.eors.push_back(1000);
    app.grow_head(&tp, 3000);
    assert_eq!(app.head_skb(&tp), (1000, false));
}

#[test]
fn what_the_hosts_queue_refused_keeps_its_push_and_its_end_of_record() {
    let (mut app, _) = queue(&[4000, 8000]);
    app.eors.push_back(4000);
    app.push_end(4000);
    assert!(app.push_at(4000) && app.marks.is_empty() && app.eors.is_empty());
    app.kept(4000, true, true);
    assert_eq!((app.marks.front(), app.eors.front()), (Some(&4000), Some(&4000)));
}
