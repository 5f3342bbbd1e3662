//! The scripts hold, at any sequence number; altered in any one expected packet they do not; and no text makes parser or runner panic.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use wavetank_packetdrill::{
    Arg, Direction, Options, PacketSpec, Report, Script, TcpOption, Verdict, What, When, parse, run_script,
};

fn paths() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root).expect("the scripts are there") {
        let folder = folder.expect("readable").path();
        if folder.is_dir() {
            out.extend(std::fs::read_dir(folder).expect("readable").map(|f| f.expect("readable").path()));
        }
    }
    out.retain(|p| p.extension().is_some_and(|e| e == "pkt"));
    out.sort();
    out
}

fn scripts() -> Vec<(String, Script)> {
    let read = |p: &PathBuf| {
        let text = std::fs::read_to_string(p).expect("text");
        (p.display().to_string(), parse(&text).unwrap_or_else(|e| panic!("{}: {e}", p.display())))
    };
    paths().iter().map(read).collect()
}

fn told(r: &Report) -> String {
    format!("{:?}\n{:?}\n{}", r.failure, r.skipped.first(), r.trace.join("\n"))
}

#[test]
fn every_script_holds() {
    let all = scripts();
    assert!(all.len() >= 306, "{} scripts", all.len());
    for (name, s) in &all {
        let r = run_script(s, &Options::default());
        assert_eq!(r.verdict, Verdict::Pass, "{name}: {}", told(&r));
        assert!(r.checked > 0, "{name} checks nothing");
    }
}

const BEGINNING: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n";

/// As 6.12 does: neighbours that came early stay apart, and what lies within two of them, but in neither, is queued
/// beside them (`tcp_data_queue_ofo`). Each takes 2304 bytes; none fits behind another (`skb_try_coalesce`) but the
/// last, which is short.
#[test]
fn what_lies_in_no_early_buffer_whole_takes_one_of_its_own() {
    let then = r#"+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
+0 < . 2001:3001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 2001:3001>
+.1 < . 1001:2001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 1001:3001>
+0 %{ assert SK_MEMINFO_RMEM_ALLOC == 4608, SK_MEMINFO_RMEM_ALLOC }%
+.1 < . 1501:2501(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 1501:2501 1001:3001>
+0 %{ assert SK_MEMINFO_RMEM_ALLOC == 6912, SK_MEMINFO_RMEM_ALLOC }%
+.1 < . 3001:4001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 1001:4001>
+0 %{ assert SK_MEMINFO_RMEM_ALLOC == 9216, SK_MEMINFO_RMEM_ALLOC }%
+.1 < . 2501:3501(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 2501:3501 1001:4001>
+0 %{ assert SK_MEMINFO_RMEM_ALLOC == 11520, SK_MEMINFO_RMEM_ALLOC }%
+.1 < . 4001:4501(500) ack 1 win 1000
+0 > . 1:1(0) ack 1 <nop,nop,sack 1001:4501>
+0 %{ assert SK_MEMINFO_RMEM_ALLOC == 11520, SK_MEMINFO_RMEM_ALLOC }%
"#;
    let script = parse(&format!("{BEGINNING}{then}")).unwrap_or_else(|e| panic!("{e}"));
    let r = run_script(&script, &Options::default());
    assert_eq!(r.verdict, Verdict::Pass, "{}", told(&r));
}

/// A FIN without data finds room behind what waits, but where packetdrill's packet socket has a copy of that still: until it looks for the next
/// packet that is sent (`skb_cloned` in `skb_try_coalesce`). As 5.10.262 and 6.12 do, of which the FIN's is 768 and 960 bytes.
#[test]
fn a_fin_behind_what_the_packet_socket_holds_takes_memory() {
    let beginning = r#"+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
+0 < . 1:1001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1001
+0 < . 1001:2001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 2001
+0 read(4, ..., 1000) = 1000
+0 setsockopt(4, SOL_TCP, TCP_QUICKACK, [0], 4) = 0
+.1 < . 2001:3001(1000) ack 1 win 1000
"#;
    let fin = "+0 < F. 3001:3001(0) ack 1 win 1000\n";
    let told_first = format!("+.04~+.06 > . 1:1(0) ack 3001\n{fin}");
    for (name, fin, memory) in [("5.10.262", fin, 5376), ("6.12", fin, 5568), ("6.12", told_first.as_str(), 4608)] {
        let then =
            format!("{beginning}{fin}+0 %{{ assert SK_MEMINFO_RMEM_ALLOC == {memory}, SK_MEMINFO_RMEM_ALLOC }}%\n");
        let script = parse(&format!("{BEGINNING}{then}")).unwrap_or_else(|e| panic!("{e}"));
        let profile = wavetank_core::tcp::Profile::named(name).expect("a kernel");
        let r = run_script(&script, &Options { profile, ..Options::default() });
        assert_eq!(r.verdict, Verdict::Pass, "{name}: {}", told(&r));
    }
}

#[test]
fn what_is_closed_is_no_descriptor() {
    for call in
        ["close(3) = 0", "close(3) = -1 EBADF", "read(3, ..., 9) = 9", "listen(3, 1) = 0", "write(7, ..., 9) = 9"]
    {
        let s = parse(&format!("{BEGINNING}+0 close(3) = 0\n+0 {call}\n")).expect("a script");
        let r = run_script(&s, &Options::default());
        assert_eq!(r.verdict, Verdict::Fail, "{call}: {}", told(&r));
        assert!(r.failure.as_ref().is_some_and(|f| f.what.ends_with("of no descriptor")), "{call}: {}", told(&r));
    }
}

/// 212992, twice, or what the script says; as a program that reads the option sees it.
#[test]
fn the_host_bounds_buffers() {
    for (sysctl, asked, got) in
        [("", 10_000_000, 425_984), ("", -1, 425_984), ("4000000", 3_000_000, 6_000_000), ("5000", 9_000, 10_000)]
    {
        let set = if sysctl.is_empty() {
            String::new()
        } else {
            format!("`sysctl -q net.core.wmem_max={sysctl} net.core.rmem_max={sysctl}`\n")
        };
        let s = parse(&format!(
            "{set}{BEGINNING}+0 setsockopt(3, SOL_SOCKET, SO_SNDBUF, [{asked}], 4) = 0
            +0 getsockopt(3, SOL_SOCKET, SO_SNDBUF, [{got}], [4]) = 0
            +0 setsockopt(3, SOL_SOCKET, SO_RCVBUF, [{asked}], 4) = 0\n+0 listen(3, 1) = 0
            +0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <...>\n+0 < . 1:1(0) ack 1 win 1000\n+0 accept(3, ..., ...) = 4
            +0 getsockopt(4, SOL_SOCKET, SO_RCVBUF, [{got}], [4]) = 0\n+0 getsockopt(4, SOL_SOCKET, SO_SNDBUF, [{got}], [4]) = 0\n"
        ))
        .expect("a script");
        let r = run_script(&s, &Options::default());
        assert_eq!(r.verdict, Verdict::Pass, "{sysctl} {asked}: {}", told(&r));
    }
}

#[test]
fn sequence_numbers_may_wrap_anywhere() {
    for (name, s) in &scripts() {
        for isn in [(0, u32::MAX), (u32::MAX, 0), (u32::MAX - 1_500, u32::MAX - 2_500), (1 << 31, (1 << 31) - 5_000)] {
            let r = run_script(s, &Options { isn, ..Options::default() });
            assert_eq!(r.verdict, Verdict::Pass, "{name} at {isn:?}: {}", told(&r));
        }
    }
}

/// What may be different about an expected packet. None: it has no such thing.
fn altered(p: &PacketSpec, when: When, how: usize) -> Option<(PacketSpec, When)> {
    let mut q = p.clone();
    let syn = p.flags.contains('S');
    let mut at = when;
    match how {
        // A SYN's number is the script's to choose.
        0 if !syn => q.seq = q.seq.wrapping_add(1),
        1 => q.len += 1,
        2 if q.len > 0 => q.len -= 1,
        3 => q.ack = Some(q.ack?.wrapping_add(1)),
        4 if q.flags.contains('F') => q.flags.retain(|c| c != 'F'),
        4 => q.flags.push('F'),
        5 if q.flags.contains('E') => q.flags.retain(|c| c != 'E'),
        5 => q.flags.push('E'),
        6 if q.flags.contains('P') => q.flags.retain(|c| c != 'P'),
        6 => q.flags.push('P'),
        7 => q.options.as_mut()?.push(TcpOption::Nop),
        8 => match q.options.as_mut()?.iter_mut().find_map(|o| match o {
            TcpOption::Sack(b) => b.first_mut(),
            _ => None,
        }) {
            Some(block) => block.1 = block.1.wrapping_add(1),
            None => return None,
        },
        9 => {
            at = match when {
                When::After(d) => When::After(d + 1_000_000),
                When::AfterWithin(a, b) => When::AfterWithin(a + 1_000_000, b + 1_000_000),
                _ => return None,
            }
        }
        10 => match q.ecn.as_deref()? {
            "noecn" => q.ecn = Some("ect0".into()),
            _ => q.ecn = Some("noecn".into()),
        },
        11 if q.flags.contains('R') => q.flags.retain(|c| c != 'R'),
        11 if !syn => q.flags.push('R'),
        12..=13 => match q.options.as_mut()?.iter_mut().find_map(|o| match o {
            TcpOption::FastOpen(cookie, experimental) => Some((cookie, experimental)),
            _ => None,
        }) {
            Some((_, experimental)) if how == 12 => *experimental = !*experimental,
            Some((cookie, _)) => match cookie.last_mut() {
                Some(b) => *b ^= 1,
                None => *cookie = vec![0; 4],
            },
            None => return None,
        },
        _ => return None,
    }
    Some((q, at))
}

#[test]
fn altered_in_any_expected_packet_a_script_fails() {
    let mut tried = 0;
    for (name, s) in &scripts() {
        for (i, e) in s.events.iter().enumerate() {
            let What::Packet(p) = &e.what else { continue };
            if p.direction == Direction::In {
                continue;
            }
            for how in 0..=13 {
                let Some((q, when)) = altered(p, e.when, how) else { continue };
                let mut t = s.clone();
                (t.events[i].what, t.events[i].when) = (What::Packet(q.clone()), when);
                let r = run_script(&t, &Options::default());
                assert_eq!(r.verdict, Verdict::Fail, "{name}:{}: {q} at {when:?} instead of {p}: {}", e.line, told(&r));
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}

/// Calls whose result is the socket's, not the script's to choose.
const TELLING: [&str; 13] = [
    "sendfile",
    "splice",
    "write",
    "send",
    "sendto",
    "sendmsg",
    "read",
    "recv",
    "recvmsg",
    "poll",
    "epoll_wait",
    "getsockopt",
    "connect",
];

#[test]
fn altered_in_any_result_of_a_call_a_script_fails() {
    let mut tried = 0;
    for (name, s) in &scripts() {
        for (i, e) in s.events.iter().enumerate() {
            let What::Call(c) = &e.what else { continue };
            let Some(returns) = c.returns.filter(|_| TELLING.contains(&c.name.as_str())) else { continue };
            for other in [returns + 1, returns - 1] {
                let mut t = s.clone();
                let What::Call(altered) = &mut t.events[i].what else { unreachable!() };
                altered.returns = Some(other);
                let r = run_script(&t, &Options::default());
                assert_eq!(r.verdict, Verdict::Fail, "{name}:{}: {} = {other}: {}", e.line, c.name, told(&r));
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// One number or name more in a control message. None: it has no such.
fn altered_control(a: &mut Arg, which: &mut usize) -> bool {
    match a {
        Arg::List(v) => v.iter_mut().any(|a| altered_control(a, which)),
        Arg::Struct(v) => v.iter_mut().any(|f| altered_control(&mut f.1, which)),
        Arg::Number(_) | Arg::Names(_) if *which > 0 => {
            *which -= 1;
            false
        }
        // Beyond the tolerance, where it is a time; and no name's number.
        Arg::Number(n) => {
            *n += 1_000_000_007;
            true
        }
        Arg::Names(v) => {
            v[0] = "SCM_TIMESTAMPING_OPT_STATS".into();
            true
        }
        Arg::Dots | Arg::Text(_) => false,
    }
}

#[test]
fn altered_in_anything_that_a_notice_tells_a_script_fails() {
    let mut tried = 0;
    for (name, s) in &scripts() {
        for (i, e) in s.events.iter().enumerate() {
            let What::Call(c) = &e.what else { continue };
            if c.name != "recvmsg" || c.returns != Some(0) {
                continue;
            }
            for which in 0.. {
                let mut t = s.clone();
                let What::Call(altered) = &mut t.events[i].what else { unreachable!() };
                let Arg::Struct(fields) = &mut altered.args[1] else { continue };
                let Some(control) = fields.iter_mut().find(|f| f.0 == "msg_control") else { break };
                if !altered_control(&mut control.1, &mut { which }) {
                    break;
                }
                let r = run_script(&t, &Options::default());
                assert_ne!(r.verdict, Verdict::Pass, "{name}:{}: {which}: {}", e.line, told(&r));
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn packets_are_written_as_they_are_read() {
    for (name, s) in &scripts() {
        for e in &s.events {
            if let What::Packet(p) = &e.what {
                let again = parse(&format!("+0 {p}\n")).unwrap();
                assert_eq!(again.events[0].what, What::Packet(p.clone()), "{name}: {p}");
            }
        }
    }
}

#[test]
fn a_trace_shows_flags_as_packetdrill_reads_them() {
    // src: google/packetdrill gtests/net/packetdrill/parser.y flags: an ACK's dot comes last
    for (name, s) in &scripts() {
        for line in &run_script(s, &Options::default()).trace {
            let Some((_, packet)) = line.split_once(" > ") else { continue };
            let flags = packet.split_whitespace().find(|w| !w.starts_with('[')).unwrap_or_default();
            assert!(!flags.trim_end_matches('.').contains('.'), "{name}: {line}");
        }
    }
}

#[test]
fn a_failure_is_told_in_the_words_of_scripts() {
    const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n";
    for (line, expected, actual) in [
        ("+0 accept(3, ..., ...) = -1 EAGAIN (Resource temporarily unavailable)\n", "-1 EAGAIN", "it blocks"),
        ("+0 read(3, ..., 9) = 0\n", "0", "-1 ENOTCONN"),
    ] {
        let r = wavetank_packetdrill::run(&format!("{OPEN}{line}"), &Options::default()).unwrap();
        let f = r.failure.expect("it fails");
        assert_eq!((f.expected.as_str(), f.actual.as_str()), (expected, actual), "{}", f.what);
    }
}

#[test]
fn what_states_nothing_does_not_hold() {
    for text in ["", "\n", "// nothing yet\n", "--tolerance_usecs=1\n", "`sysctl -q net.ipv4.tcp_ecn=1`\n"] {
        let said = parse(text).unwrap_err();
        assert!(said.contains("ends without a statement, expected"), "{text:?}: {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any text is a script or an error.
    #[test]
    fn the_parser_takes_any_text(text in "[ -~\n]{0,300}") {
        let _ = parse(&text);
    }

    /// Text that looks like scripts, too, and it runs to an end.
    #[test]
    fn what_looks_like_a_script_runs(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..80)) {
        if let Ok(s) = parse(&words.join(" ")) {
            let _ = run_script(&s, &Options::default());
        }
    }

    /// Lines of real scripts in any order, more than once or not at all, run to an end.
    #[test]
    fn shuffled_scripts_run(which in any::<prop::sample::Index>(), order in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
        let all = paths();
        let text = std::fs::read_to_string(which.get(&all)).unwrap();
        let s = parse(&text).unwrap();
        let opened = s.events.iter().position(|e| matches!(&e.what, What::Call(c) if c.name == "accept")).map_or(3, |i| i + 1);
        let mut t = s.clone();
        t.events.truncate(opened);
        if opened < s.events.len() {
            t.events.extend(order.iter().map(|i| i.get(&s.events[opened..]).clone()));
        }
        let _ = run_script(&t, &Options::default());
    }
}

const WORDS: &[&str] = &[
    "0",
    "+0",
    "+.1",
    "*",
    "+0~+.1",
    "0...0.1",
    "\n",
    "\n",
    "\n",
    "<",
    ">",
    "[ce]",
    "[ect0]",
    "S",
    ".",
    "P.",
    "S.",
    "F.",
    "0:0(0)",
    "1:1001(1000)",
    "1:1(0)",
    "ack",
    "1",
    "1001",
    "win",
    "65535",
    "<...>",
    "<mss 1000,sackOK,nop,wscale 7>",
    "<nop,nop,sack 1:1001>",
    "<nop,nop,TS val 1 ecr 2>",
    "socket(..., SOCK_STREAM, IPPROTO_TCP)",
    "bind(3, ..., ...)",
    "listen(3, 1)",
    "accept(3, ..., ...)",
    "connect(3, ..., ...)",
    "write(4, ..., 1000)",
    "read(4, ..., 1000)",
    "close(4)",
    "=",
    "3",
    "4",
    "-1",
    "EAGAIN",
    "%{",
    "}%",
    "assert tcpi_snd_cwnd == 10",
    "print(tcpi_rtt)",
    "`sysctl -q net.ipv4.tcp_ecn=1`",
    "--tolerance_usecs=1",
    "//",
    "/*",
    "*/",
    "(",
    ")",
];
