//! From text to a [`Script`]. A line that is not understood becomes [`What::Unknown`]; only text that has no shape at all is an error.

use super::scan::Scan;
use super::script::{Arg, Call, Command, Direction, Event, IcmpSpec, PacketSpec, Script, TcpOption, What, When};

/// Letters of TCP flags: FIN, SYN, RST, PSH, ACK, URG, ECE, CWR, AE.
const FLAGS: &[u8] = b"FSRP.UEWA";

/// What scripts are run with (`-D`): the cookie that the shared file's key gives the default addresses, and a reason why a host is not reached.
/// src: google/packetdrill gtests/net/packetdrill/run_all.py
const DEFINED: [(&str, &str); 2] = [("TFO_COOKIE", "3021b9d889017eeb"), ("CODE", "host_unreachable")];

/// Reads a script. The error names the line.
pub fn parse(text: &str) -> Result<Script, String> {
    let mut s = Scan::new(text);
    let mut out = Script::default();
    loop {
        s.space(true);
        if s.ended() {
            return Ok(out);
        }
        let line = s.line();
        if out.events.is_empty() && s.eat("--") {
            // Several may stand on a line.
            let rest = s.rest_of_line();
            out.options.extend(format!("--{rest}").split_whitespace().map(str::to_string));
            continue;
        }
        if s.peek() == b'`' && out.events.is_empty() && out.setup.is_none() {
            out.setup = Some(command(&mut s)?);
            continue;
        }
        if s.peek() == b'`' {
            // What a script does when it has ended.
            let c = command(&mut s)?;
            out.events.push(Event { line, when: When::After(0), what: What::Shell(c) });
            continue;
        }
        out.events.push(event(&mut s, line)?);
    }
}

fn command(s: &mut Scan<'_>) -> Result<Command, String> {
    let line = s.line();
    s.next();
    let text = s.until("`").ok_or_else(|| format!("line {line}: a backtick without its end"))?;
    Ok(Command { line, text })
}

fn event(s: &mut Scan<'_>, line: usize) -> Result<Event, String> {
    let Some(when) = when(s) else {
        return Err(format!(
            "line {line}: expected a time (+.1, 0.2, +0~+.1 or *), found \"{}\"",
            shorten(&s.rest_of_line())
        ));
    };
    s.space(true);
    let mark = s.mark();
    let line = s.line();
    let what = match s.peek() {
        b'<' | b'>' => match packet(s) {
            Some(p) => What::Packet(p),
            None => match unknown(s, mark) {
                What::Unknown(text) => icmp(&text).map_or(What::Unknown(text), What::Icmp),
                other => other,
            },
        },
        b'`' => What::Shell(command(s)?),
        b'%' if s.eat("%{") => {
            let text = s.until("}%").ok_or_else(|| format!("line {line}: %{{ without its }}%"))?;
            What::Code(text)
        }
        _ => match call(s) {
            Some(c) => What::Call(c),
            None => unknown(s, mark),
        },
    };
    Ok(Event { line, when, what })
}

fn unknown(s: &mut Scan<'_>, mark: (usize, usize)) -> What {
    s.reset(mark);
    // A statement may go on as long as brackets are open.
    let mut text = String::new();
    loop {
        text.push_str(&s.rest_of_line());
        let open = text.bytes().filter(|b| b"({[".contains(b)).count();
        let close = text.bytes().filter(|b| b")}]".contains(b)).count();
        if open <= close || s.ended() {
            return What::Unknown(text);
        }
        s.next();
        text.push(' ');
    }
}

fn shorten(s: &str) -> String {
    s.chars().take(60).collect()
}

fn when(s: &mut Scan<'_>) -> Option<When> {
    if s.eat("*") {
        return Some(When::Any);
    }
    let relative = s.eat("+");
    let from = s.seconds()?;
    let mark = s.mark();
    s.space(false);
    if s.eat("~") {
        s.space(false);
        s.eat("+");
        let to = s.seconds()?;
        return Some(if relative { When::AfterWithin(from, to) } else { When::Within(from, to) });
    }
    s.reset(mark);
    Some(if relative { When::After(from) } else { When::At(from) })
}

fn word(s: &mut Scan<'_>) -> String {
    s.take_while(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn packet(s: &mut Scan<'_>) -> Option<PacketSpec> {
    let direction = if s.next() == b'<' { Direction::In } else { Direction::Out };
    s.space(false);
    let mut ecn = None;
    if s.eat("[") {
        let inside = s.until("]")?;
        let inside = inside.trim();
        if !["noecn", "ect0", "ect1", "ect01", "ce"].contains(&inside) {
            return None;
        }
        ecn = Some(inside.to_string());
        s.space(false);
    }
    let mut flags = s.take_while(|b| FLAGS.contains(&b));
    if flags.is_empty() && !s.eat("-") {
        return None;
    }
    if !matches!(s.peek(), b' ' | b'\t') {
        return None;
    }
    flags.shrink_to_fit();
    s.space(false);
    let seq = u32::try_from(s.number()?).ok()?;
    if !s.eat(":") {
        return None;
    }
    let end = u32::try_from(s.number()?).ok()?;
    if !s.eat("(") {
        return None;
    }
    let len = u32::try_from(s.number()?).ok()?;
    if !s.eat(")") || seq.wrapping_add(len) != end {
        return None;
    }
    let mut p = PacketSpec { direction, ecn, flags, seq, len, ack: None, win: None, options: Some(Vec::new()) };
    loop {
        s.space(false);
        match s.peek() {
            b'\n' | 0 => return Some(p),
            b'<' => {
                s.next();
                p.options = options(s)?;
            }
            _ => match word(s).as_str() {
                "ack" => {
                    s.space(false);
                    p.ack = Some(u32::try_from(s.number()?).ok()?);
                }
                "win" => {
                    s.space(false);
                    p.win = Some(u16::try_from(s.number()?).ok()?);
                }
                _ => return None,
            },
        }
    }
}

fn icmp(text: &str) -> Option<IcmpSpec> {
    let mut words = text.strip_prefix('<')?.split_whitespace();
    if (words.next()?, words.next()?) != ("icmp", "unreachable") {
        return None;
    }
    let mut spec = IcmpSpec { text: text.to_string(), code: "net_unreachable".into(), mtu: None, seq: 0 };
    while let Some(w) = words.next() {
        if w == "mtu" {
            spec.mtu = Some(words.next()?.parse().ok()?);
        } else if let Some(inside) = w.strip_prefix('[') {
            spec.seq = inside.split(':').next()?.parse().ok()?;
        } else {
            spec.code = DEFINED.iter().find(|d| d.0 == w).map_or(w, |d| d.1).into();
        }
    }
    Some(spec)
}

/// After `<`. The inner none: anything goes.
#[expect(clippy::option_option, reason = "not understood, or anything, or these")]
fn options(s: &mut Scan<'_>) -> Option<Option<Vec<TcpOption>>> {
    let inside = s.until(">")?;
    if inside.trim() == "..." {
        return Some(None);
    }
    inside.split(',').map(|o| option(o.trim())).collect::<Option<Vec<_>>>().map(Some)
}

fn option(text: &str) -> Option<TcpOption> {
    let mut w = text.split_whitespace();
    let o = match w.next()? {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::Eol,
        "sackOK" => TcpOption::SackOk,
        "mss" => TcpOption::Mss(w.next()?.parse().ok()?),
        "wscale" => TcpOption::WindowScale(w.next()?.parse().ok()?),
        "TS" => match (w.next()?, w.next()?, w.next()?, w.next()?) {
            ("val", v, "ecr", e) => TcpOption::Timestamps(v.parse().ok()?, e.parse().ok()?),
            _ => return None,
        },
        "sack" => {
            let blocks = w.by_ref().map(|b| {
                let (l, r) = b.split_once(':')?;
                Some((l.parse().ok()?, r.parse().ok()?))
            });
            TcpOption::Sack(blocks.collect::<Option<Vec<_>>>()?)
        }
        name @ ("FO" | "FOEXP") => TcpOption::FastOpen(w.next().map_or(Some(Vec::new()), bytes)?, name == "FOEXP"),
        _ => return Some(TcpOption::Other(text.to_string())),
    };
    w.next().is_none().then_some(o)
}

/// `abcd1234`, or a name that packetdrill's own test runner defines.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let hex = DEFINED.iter().find(|d| d.0 == text).map_or(text, |d| d.1);
    if hex.len() % 2 == 1 || !hex.is_ascii() {
        return None;
    }
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).ok()).collect()
}

fn call(s: &mut Scan<'_>) -> Option<Call> {
    let mut until = None;
    if s.eat("...") {
        s.space(false);
        until = Some(s.seconds()?);
        s.space(false);
    }
    let name = word(s);
    if name.is_empty() || !s.eat("(") {
        return None;
    }
    let mut args = Vec::new();
    s.space(true);
    if !s.eat(")") {
        loop {
            args.push(arg(s, 0)?);
            s.space(true);
            match s.next() {
                b',' => s.space(true),
                b')' => break,
                _ => return None,
            }
        }
    }
    s.space(true);
    if !s.eat("=") {
        return None;
    }
    s.space(false);
    let returns = if s.eat("?") {
        None
    } else if s.eat("0x") {
        Some(i64::from_str_radix(&word(s), 16).ok()?)
    } else {
        let sign = if s.eat("-") { -1 } else { 1 };
        Some(sign * s.number()?)
    };
    s.space(false);
    let errno = Some(word(s)).filter(|w| !w.is_empty());
    s.space(false);
    if s.eat("(") {
        s.until(")")?;
    }
    s.space(false);
    matches!(s.peek(), b'\n' | 0).then_some(Call { until, name, args, returns, errno })
}

/// `events=POLLIN`, `msg_iov(1)=[...]`, or an argument without a name.
fn field(s: &mut Scan<'_>, depth: u32) -> Option<(String, Arg)> {
    let mark = s.mark();
    let name = word(s);
    if s.eat("(") {
        s.until(")")?;
    }
    s.space(true);
    if name.is_empty() || !s.eat("=") {
        s.reset(mark);
        return Some((String::new(), arg(s, depth)?));
    }
    s.space(true);
    Some((name, arg(s, depth)?))
}

/// What is deeper than this is no argument.
const DEEPEST: u32 = 20;

fn arg(s: &mut Scan<'_>, depth: u32) -> Option<Arg> {
    if depth > DEEPEST {
        return None;
    }
    match s.peek() {
        b'.' => s.eat("...").then_some(Arg::Dots),
        b'"' => {
            s.next();
            Some(Arg::Text(s.until("\"")?))
        }
        b'[' => {
            s.next();
            s.space(true);
            let mut v = Vec::new();
            while !s.eat("]") {
                v.push(arg(s, depth + 1)?);
                s.space(true);
                s.eat(",");
                s.space(true);
                if s.ended() {
                    return None;
                }
            }
            Some(Arg::List(v))
        }
        b'{' => {
            s.next();
            s.space(true);
            let mut fields = Vec::new();
            while !s.eat("}") {
                fields.push(field(s, depth + 1)?);
                s.space(true);
                if !s.eat(",") && s.peek() != b'}' {
                    return None;
                }
                s.space(true);
            }
            Some(Arg::Struct(fields))
        }
        b'0'..=b'9' | b'-' => {
            let sign = if s.eat("-") { -1 } else { 1 };
            if s.eat("0x") {
                return Some(Arg::Number(sign * i64::from_str_radix(&word(s), 16).ok()?));
            }
            Some(Arg::Number(sign * s.number()?))
        }
        _ => {
            let mut names = Vec::new();
            loop {
                let w = word(s);
                if w.is_empty() {
                    return None;
                }
                names.push(w);
                s.space(true);
                if !s.eat("|") {
                    break;
                }
                s.space(true);
            }
            Some(Arg::Names(names))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_line_comes_apart_and_together() {
        let s = parse("+.1 < [ce] SEW 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7> // offers\n").unwrap();
        let What::Packet(p) = &s.events[0].what else { panic!() };
        assert_eq!((s.events[0].when, p.win, p.ack), (When::After(100_000), Some(32_792), None));
        assert_eq!(p.to_string(), "< [ce] SEW 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>");
        let s = parse("*  > P. 1:1001(1000) ack 1 <nop,nop,TS val 5 ecr 6,nop,nop,sack 1:2 5:9>").unwrap();
        let What::Packet(p) = &s.events[0].what else { panic!() };
        assert_eq!(p.options.as_ref().unwrap()[5], TcpOption::Sack(vec![(1, 2), (5, 9)]));
        let s = parse("0 > . 1:1(0) ack 1 <...>").unwrap();
        assert!(matches!(&s.events[0].what, What::Packet(PacketSpec { options: None, .. })));
    }

    #[test]
    fn times_in_all_their_forms() {
        let w = |t: &str| parse(&format!("{t} close(3) = 0")).unwrap().events[0].when;
        assert_eq!(w("0"), When::At(0));
        assert_eq!(w("1.5"), When::At(1_500_000));
        assert_eq!(w("+.0015"), When::After(1_500));
        assert_eq!(w("+0~+.05"), When::AfterWithin(0, 50_000));
        assert_eq!(w("0.1~0.25"), When::Within(100_000, 250_000));
        assert_eq!(w("*"), When::Any);
    }

    #[test]
    fn calls_with_their_ends_and_errors() {
        let s = parse(
            "+.002 ... 0.004 connect(4, ..., ...) = -1 EINPROGRESS (in progress)\n0...0.2 accept(3, ..., ...) = 4",
        )
        .unwrap();
        let What::Call(c) = &s.events[0].what else { panic!() };
        assert_eq!((c.until, c.returns, c.errno.as_deref()), (Some(4_000), Some(-1), Some("EINPROGRESS")));
        let What::Call(c) = &s.events[1].what else { panic!() };
        assert_eq!((s.events[1].when, c.until, c.args.len()), (When::At(0), Some(200_000), 3));
        let s = parse(
            "+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n+0 setsockopt(3, SOL_SOCKET, SO_SNDBUF, [2000], 4) = 0",
        )
        .unwrap();
        let What::Call(c) = &s.events[0].what else { panic!() };
        assert!(c.args[2].names("O_NONBLOCK"));
        let What::Call(c) = &s.events[1].what else { panic!() };
        assert_eq!(c.args[3].number(), Some(2000));
    }

    #[test]
    fn structures_have_fields_with_and_without_names() {
        let s = parse("+0 recvmsg(3, {msg_name(...)=...,\n msg_iov(1)=[{..., 1000}],\n msg_control=[{cmsg_data={ee_data=9}}]}, 0) = 1\n+0 poll([{fd=4, events=POLLIN|POLLOUT}], 1, 0) = 0").unwrap();
        let What::Call(c) = &s.events[0].what else { panic!() };
        let Some(Arg::List(iov)) = c.args[1].field("msg_iov") else { panic!() };
        assert_eq!(iov[0], Arg::Struct(vec![(String::new(), Arg::Dots), (String::new(), Arg::Number(1000))]));
        let Some(Arg::List(control)) = c.args[1].field("msg_control") else { panic!() };
        let data = control[0].field("cmsg_data").and_then(|d| d.field("ee_data"));
        assert_eq!(data.and_then(Arg::number), Some(9));
        let What::Call(c) = &s.events[1].what else { panic!() };
        let Arg::List(polled) = &c.args[0] else { panic!() };
        assert!(polled[0].field("events").unwrap().names("POLLOUT"));
        assert!(parse(&format!("+0 f({}", "[".repeat(9_999))).is_ok());
    }

    #[test]
    fn what_is_not_known_is_kept_by_name() {
        let s = parse("+0 < icmp time_exceeded [1:1(0)]\n+0 sendmsg(4, {msg_name(...)=...,\n msg_iov(1)=[]}, 0) = 1\n+0 > udp (8)\n").unwrap();
        assert_eq!(s.events.len(), 3);
        assert!(matches!(&s.events[0].what, What::Unknown(t) if t.starts_with("< icmp")));
        assert_eq!(s.events[2].line, 4);
    }

    #[test]
    fn what_routers_say() {
        let s = parse("+0 < icmp unreachable frag_needed mtu 500 [1:101(100)]\n+0 < icmp unreachable CODE\n").unwrap();
        let What::Icmp(i) = &s.events[0].what else { panic!() };
        assert_eq!((i.code.as_str(), i.mtu, i.seq), ("frag_needed", Some(500), 1));
        let What::Icmp(i) = &s.events[1].what else { panic!() };
        assert_eq!((i.code.as_str(), i.mtu, i.seq), ("host_unreachable", None, 0));
    }

    #[test]
    fn cookies_are_bytes() {
        let options = |t: &str| match &parse(&format!("+0 > S 0:0(0) <{t}>\n")).unwrap().events[0].what {
            What::Packet(p) => p.options.clone(),
            _ => None,
        };
        assert_eq!(options("FO"), Some(vec![TcpOption::FastOpen(vec![], false)]));
        assert_eq!(options("FOEXP 12ab"), Some(vec![TcpOption::FastOpen(vec![0x12, 0xab], true)]));
        assert!(options("FO 123").is_none() && options("FO xy").is_none());
    }

    #[test]
    fn options_commands_comments_and_code() {
        let s = parse(
            "--tolerance_usecs=9 --mtu=1500\n/* a\nb */ # c\n`sysctl -q a=1\n# x`\n+0 %{\nassert a == 1\n}%\n+0 `true`",
        )
        .unwrap();
        assert_eq!(s.options, ["--tolerance_usecs=9", "--mtu=1500"]);
        assert_eq!(s.setup.unwrap().line, 4);
        assert_eq!(s.events[0].what, What::Code("\nassert a == 1\n".into()));
        assert!(parse("+0 `never ends").is_err());
        assert!(parse("hello").unwrap_err().contains("line 1: expected a time"));
    }
}
