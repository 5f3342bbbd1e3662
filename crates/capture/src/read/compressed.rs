//! Captures that gzip has compressed (`tcpdump | gzip`, and as Wireshark saves them), decompressed as they are read.

use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read, Result};

/// RFC 1952 section 2.3.1.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What is in `input`: itself, or what it is when it is decompressed.
///
/// Errors: its first bytes cannot be read.
pub fn plain<'a>(input: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let packed = input.fill_buf()?.starts_with(&MAGIC);
    Ok(if packed { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut e = GzEncoder::new(Vec::new(), Compression::fast());
        e.write_all(data).unwrap();
        e.finish().unwrap()
    }

    fn read(data: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        plain(data)?.read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn members_follow_each_other_and_other_files_pass() {
        let both = [gzip(b"one"), gzip(b"two")].concat();
        assert_eq!(read(&both).unwrap(), b"onetwo");
        assert_eq!(read(b"plain").unwrap(), b"plain");
        assert_eq!(read(b"").unwrap(), b"");
        assert!(read(&both[..both.len() - 5]).is_err(), "cut off");
    }

    #[test]
    fn a_compressed_file_that_is_cut_between_two_packets_is_told() {
        // pcap, microseconds, radiotap: a header and no packet, behind it a member that has no end.
        let mut header = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
        header.extend([0; 8]);
        header.extend([0, 0, 4, 0, 127, 0, 0, 0]);
        let cut = [gzip(&header), gzip(b"x")[..9].to_vec()].concat();
        let info = crate::read::read(plain(&cut[..]).unwrap(), |_, _| {}).unwrap();
        assert!(info.damage.as_deref().is_some_and(|d| d.starts_with("at byte 24: it cannot be read")), "{info:?}");
    }
}
