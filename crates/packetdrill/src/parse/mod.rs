//! From text to a [`Script`]. What is of the language and not understood here becomes [`What::Unknown`]; what is not of the language is an
//! error, which names the line and what was expected there: a script with a slip in it must not pass for one that asks too much.

mod call;
mod packet;

use super::constants;
use super::known;
use super::scan::Scan;
use super::script::{Arg, Call, Command, Event, Script, What, When};
use call::call;
use packet::{icmp, packet};

/// Reads a script. The error names the line.
pub fn parse(text: &str) -> Result<Script, String> {
    let mut s = Scan::new(text);
    let mut out = Script::default();
    loop {
        s.space(true);
        let line = s.line();
        if s.ended() {
            // It would count among those that hold.
            let nothing =
                || format!("line {line}: the script ends without a statement, expected a call, a packet or a check");
            return if out.events.is_empty() { Err(nothing()) } else { Ok(out) };
        }
        if out.events.is_empty() && s.eat("--") {
            // Several may stand on a line.
            let rest = s.rest_of_line();
            for option in format!("--{rest}").split_whitespace() {
                if option.starts_with("--") {
                    known::option(option).map_err(|e| format!("line {line}: {e}"))?;
                }
                out.options.push(option.to_string());
            }
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
        out.events.push(event(&mut s, line, &out.options)?);
    }
}

fn command(s: &mut Scan<'_>) -> Result<Command, String> {
    let line = s.line();
    s.next();
    let text = s.until("`").ok_or_else(|| format!("line {line}: a backtick without its end"))?;
    Ok(Command { line, text })
}

fn event(s: &mut Scan<'_>, line: usize, given: &[String]) -> Result<Event, String> {
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
            Ok(p) => What::Packet(p),
            Err(expected) => {
                let text = statement(s, mark);
                match icmp(&text) {
                    Some(i) => What::Icmp(i),
                    None => unknown(text, line, &expected)?,
                }
            }
        },
        b'`' => What::Shell(command(s)?),
        b'%' if s.eat("%{") => {
            let text = s.until("}%").ok_or_else(|| format!("line {line}: %{{ without its }}%"))?;
            What::Code(text)
        }
        _ => match call(s) {
            Ok(c) => {
                known::call(&c.name).map_err(|e| format!("line {line}: {e}"))?;
                constants(&c, given).map_err(|(name, e)| format!("line {}: {e}", s.line_of(mark, name)))?;
                What::Call(c)
            }
            Err(expected) => unknown(statement(s, mark), line, &expected)?,
        },
    };
    Ok(Event { line, when, what })
}

/// Whether all that a call names is a constant, or defined by the script's own options. The error: the name, and what is wrong.
fn constants<'a>(c: &'a Call, given: &[String]) -> Result<(), (&'a str, String)> {
    let own =
        |n: &str| given.iter().any(|o| o.strip_prefix("--define=").is_some_and(|d| d.split('=').next() == Some(n)));
    let named = c.args.iter().flat_map(Arg::all_names).filter(|n| !own(n));
    named.into_iter().try_for_each(|n| constants::constant(n).map_err(|e| (n, e)))?;
    c.errno.as_deref().map_or(Ok(()), |n| constants::error(n).map_err(|e| (n, e)))
}

/// A statement that could not be read, if it has something that is not understood here; else the error.
fn unknown(text: String, line: usize, expected: &str) -> Result<What, String> {
    if known::beyond(&text) {
        return Ok(What::Unknown(text));
    }
    Err(format!("line {line}: expected {expected}, found \"{}\"", shorten(&text)))
}

/// The statement at the mark as it stands; it may go on over lines as long as brackets are open.
fn statement(s: &mut Scan<'_>, mark: (usize, usize)) -> String {
    s.reset(mark);
    let mut text = String::new();
    loop {
        text.push_str(&s.rest_of_line());
        let open = text.bytes().filter(|b| b"({[".contains(b)).count();
        let close = text.bytes().filter(|b| b")}]".contains(b)).count();
        if open <= close || s.ended() {
            return text;
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

/// What was expected and not found.
type Expected = String;

fn number<T: TryFrom<i64>>(s: &mut Scan<'_>, what: &str) -> Result<T, Expected> {
    s.number().and_then(|n| T::try_from(n).ok()).ok_or_else(|| what.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::script::{PacketSpec, TcpOption};
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
        assert!(parse(&format!("+0 poll({}", "[".repeat(9_999))).is_err());
    }

    #[test]
    fn what_is_not_known_is_kept_by_name() {
        let s = parse("+0 < icmp time_exceeded [1:1(0)]\n+0 sendmsg(4, {msg_name(...)=...,\n msg_iov(1)=[]}, 0) = 1\n+0 > udp (8)\n").unwrap();
        assert_eq!(s.events.len(), 3);
        assert!(matches!(&s.events[0].what, What::Unknown(t) if t.starts_with("< icmp")));
        assert_eq!(s.events[2].line, 4);
    }

    #[test]
    fn a_slip_is_an_error_with_its_line_and_what_was_expected() {
        for (text, expected) in [
            ("wirte(4, ..., 1000) = 1000", "unknown call \"wirte\""),
            ("write(4, ..., 1000)", "expected what the call returns"),
            ("write(4, ..., 1000 = 1000", "a comma or ) behind argument 3 of write"),
            ("write(4, , 1000) = 1000", "argument 2 of write"),
            ("writ", "a call such as"),
            ("ioctl(4, SIOCOUTQ, [0]) = 0", "unknown constant \"SIOCOUTQ\""),
            (
                "setsockopt(4, SOL_TCP, TCP_NODELYA, [1], 4) = 0",
                "\"TCP_NODELYA\", expected one of packetdrill's; did you",
            ),
            ("poll([{fd=4, events=POLIN}], 1, 0) = 0", "did you mean \"POLLIN\"?"),
            ("read(4, ..., 1000) = -1 EAGIAN", "did you mean \"EAGAIN\"?"),
            ("> X. 1:1(0) ack 1", "expected TCP flags"),
            ("> . 1:1001(100) ack 1", "END = FIRST + LENGTH"),
            ("> . 1:1(0) akc 1", "expected ack NUMBER, win NUMBER"),
            ("> . 1:1(0) ack 1 win 70000", "up to 65535"),
            ("> S 0:0(0) <mss 1460,sackok>", "in place of \"sackok\""),
            ("> S 0:0(0) <mss 1460", "with their >"),
            ("< . 1:1(0) ack 1 win 9 <sack 1001:2001>", "multiple of 4 bytes"),
            ("> S 0:0(0) <mss 1460,wscale 7>", "3 bytes too many"),
            ("> [ect2] . 1:1(0)", "[noecn]"),
        ] {
            let e = parse(&format!("// one\n+0 {text}\n+0 close(3) = 0\n")).unwrap_err();
            assert!(e.starts_with("line 2: ") && e.contains(expected), "{text}: {e}");
        }
        let far = parse("+0 sendmsg(4, {msg_name(...)=...,\n msg_iov(1)=[{..., 9}],\n msg_flags=0}, MSG_MORR) = 9\n")
            .unwrap_err();
        assert!(far.starts_with("line 3: unknown constant \"MSG_MORR\""), "{far}");
        assert!(parse("--define=MORE=1\n+0 send(4, ..., 9, MORE) = 9").is_ok());
        assert!(parse("--tolerence_usecs=9\n0 close(3) = 0").unwrap_err().contains("did you mean"));
        // of the language, and not understood: kept
        for text in [
            "> udp (8)",
            "< S 0:0(0) <md5 00>",
            "< S 0:0(0) <mss MSS,nop>",
            "setsockopt(3, SOL_TCP, TCP_MD5SIG, [1], 4) = 0",
            "bind(3, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0",
        ] {
            assert!(parse(&format!("+0 {text}")).is_ok(), "{text}");
        }
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
        let options = |t: &str| match &parse(&format!("+0 > S 0:0(0) <{t}>\n")).ok()?.events[0].what {
            What::Packet(p) => p.options.clone(),
            _ => None,
        };
        assert_eq!(options("FO,nop,nop").unwrap()[0], TcpOption::FastOpen(vec![], false));
        assert_eq!(options("FOEXP 12ab,eol,eol").unwrap()[0], TcpOption::FastOpen(vec![0x12, 0xab], true));
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
