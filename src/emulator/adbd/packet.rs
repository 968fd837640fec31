//! Packets: six little-endian numbers and a payload, as both ends of a connection send them.
//!
//! [`Reader`] makes packets of bytes however they arrive, and takes no more memory than has arrived. The two ends agree
//! on whether checksums count, so [`super::link`] checks them.

/// Length of a header.
pub const HEADER_LEN: usize = 24;

/// First version of the protocol, in which every payload has a checksum.
pub const VERSION_CHECKED: u32 = 0x0100_0000;

/// Version from which on checksums are omitted, if both ends have it.
pub const VERSION: u32 = 0x0100_0001;

/// Purpose of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Greeting: version, longest payload, and the banner with the features.
    Cnxn,
    /// Token, signature or key.
    Auth,
    /// Request for a service.
    Open,
    /// Readiness of a stream for the next packet.
    Okay,
    /// Data of a stream.
    Wrte,
    /// End of a stream.
    Clse,
    /// Request for encryption.
    Stls,
    /// Any other number, the obsolete `SYNC` included.
    Other(u32),
}

impl Command {
    const NAMED: [(u32, Command); 7] = [
        (0x4e58_4e43, Command::Cnxn),
        (0x4854_5541, Command::Auth),
        (0x4e45_504f, Command::Open),
        (0x5941_4b4f, Command::Okay),
        (0x4554_5257, Command::Wrte),
        (0x4553_4c43, Command::Clse),
        (0x534c_5453, Command::Stls),
    ];

    /// Returns the command of this number.
    pub fn from_number(number: u32) -> Command {
        let named = Command::NAMED.iter().find(|(other, _)| *other == number);
        named.map_or(Command::Other(number), |(_, command)| *command)
    }

    /// Returns the command's number.
    pub fn number(self) -> u32 {
        match self {
            Command::Other(number) => number,
            command => Command::NAMED.iter().find(|(_, other)| *other == command).map_or(0, |(n, _)| *n),
        }
    }
}

/// A received packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Purpose.
    pub command: Command,
    /// The sender's number of the stream, or another meaning by the command.
    pub arg0: u32,
    /// The receiver's number of the stream, or another meaning by the command.
    pub arg1: u32,
    /// Claimed checksum.
    pub check: u32,
    /// Data.
    pub payload: Vec<u8>,
}

impl Packet {
    /// Returns true if the checksum is that of the payload.
    pub fn is_checked(&self) -> bool {
        self.check == checksum(&self.payload)
    }
}

/// Reason why bytes are no packet; the bytes behind them cannot be read either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The last number of a header is not the complement of the first.
    #[error("a header starts with {command:#010x} and ends with {magic:#010x}, which do not belong together")]
    Magic {
        /// First number of the header.
        command: u32,
        /// Last number of the header.
        magic: u32,
    },
    /// The payload is longer than the two ends agreed.
    #[error("a packet claims {len} bytes where at most {len_max} were agreed upon")]
    TooLong {
        /// Claimed length.
        len: u32,
        /// Longest length agreed.
        len_max: usize,
    },
}

/// Checksum of a written packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// The sum of the payload.
    Included,
    /// 0 in its place.
    Omitted,
}

/// Returns the sum of all bytes; the protocol calls it a CRC.
pub fn checksum(payload: &[u8]) -> u32 {
    payload.iter().fold(0u32, |sum, &byte| sum.wrapping_add(u32::from(byte)))
}

/// Appends a packet to `bytes`.
pub fn write(bytes: &mut Vec<u8>, command: Command, args: [u32; 2], payload: &[u8], sum: Checksum) {
    let number = command.number();
    let len = u32::try_from(payload.len()).expect("a payload we made is short");
    let check = match sum {
        Checksum::Included => checksum(payload),
        Checksum::Omitted => 0,
    };
    bytes.reserve(HEADER_LEN + payload.len());
    for field in [number, args[0], args[1], len, check, !number] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    bytes.extend_from_slice(payload);
}

/// Reader of packets from bytes as they arrive.
#[derive(Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    start: usize,
    payload_max: usize,
}

impl Reader {
    /// Returns a reader that takes payloads of at most `payload_max` bytes.
    pub fn new(payload_max: usize) -> Reader {
        Reader { bytes: Vec::new(), start: 0, payload_max }
    }

    /// Sets the longest payload, from the next packet on.
    pub fn set_payload_max(&mut self, payload_max: usize) {
        self.payload_max = payload_max;
    }

    /// Appends bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        // Packets already read are dropped once per arrival, and not once per packet: moving the rest costs its length.
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns true if a packet has begun to arrive and is not complete.
    pub fn is_amid(&self) -> bool {
        self.start < self.bytes.len()
    }

    /// Returns the next packet, if it has arrived in full.
    pub fn next_packet(&mut self) -> Result<Option<Packet>, PacketError> {
        let rest = &self.bytes[self.start..];
        let Some(header) = rest.first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let (fields, _) = header.as_chunks::<4>();
        let [number, arg0, arg1, len, check, magic] =
            [0, 1, 2, 3, 4, 5].map(|at| u32::from_le_bytes(fields[at]));
        if number != !magic {
            return Err(PacketError::Magic { command: number, magic });
        }
        // Checked before the payload arrives, so that a claim of 4 GB is not waited for.
        let payload_len = usize::try_from(len).unwrap_or(usize::MAX);
        if payload_len > self.payload_max {
            return Err(PacketError::TooLong { len, len_max: self.payload_max });
        }
        let Some(payload) = rest[HEADER_LEN..].get(..payload_len) else { return Ok(None) };
        let command = Command::from_number(number);
        let packet = Packet { command, arg0, arg1, check, payload: payload.to_vec() };
        self.start += HEADER_LEN + payload_len;
        Ok(Some(packet))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(command: Command, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, command, [16, 1], payload, Checksum::Included);
        bytes
    }

    #[test]
    fn a_packet_is_written_as_adb_writes_it() {
        let bytes = written(Command::Open, b"shell:echo hi\0");
        assert_eq!(&bytes[..4], b"OPEN");
        assert_eq!(&bytes[4..12], [16, 0, 0, 0, 1, 0, 0, 0]);
        // The sum is that of a recorded packet.
        assert_eq!(u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]), 1250);
        assert_eq!(bytes[20..24], [!b'O', !b'P', !b'E', !b'N']);
    }

    #[test]
    fn every_command_has_its_letters() {
        for (letters, command) in [
            (b"CNXN", Command::Cnxn),
            (b"AUTH", Command::Auth),
            (b"OPEN", Command::Open),
            (b"OKAY", Command::Okay),
            (b"WRTE", Command::Wrte),
            (b"CLSE", Command::Clse),
            (b"STLS", Command::Stls),
            (b"SYNC", Command::Other(0x434e_5953)),
        ] {
            let number = u32::from_le_bytes(*letters);
            assert_eq!(Command::from_number(number), command);
            assert_eq!(command.number(), number);
        }
    }

    #[test]
    fn a_header_whose_ends_do_not_belong_together_is_refused() {
        let mut bytes = written(Command::Okay, b"");
        bytes[20] ^= 1;
        let mut reader = Reader::new(100);
        reader.push(&bytes);
        assert!(matches!(reader.next_packet(), Err(PacketError::Magic { .. })));
    }

    #[test]
    fn a_payload_that_is_too_long_is_refused_before_it_arrives() {
        let mut reader = Reader::new(2);
        reader.push(&written(Command::Wrte, b"abc")[..HEADER_LEN]);
        assert_eq!(reader.next_packet(), Err(PacketError::TooLong { len: 3, len_max: 2 }));
    }

    #[test]
    fn a_wrong_checksum_is_seen() {
        let mut bytes = written(Command::Wrte, b"abc");
        bytes[HEADER_LEN] = b'x';
        let mut reader = Reader::new(100);
        reader.push(&bytes);
        assert!(!reader.next_packet().expect("a packet").expect("all of it").is_checked());
    }

    proptest! {
        #[test]
        fn packets_are_the_same_however_they_arrive(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..5),
            piece in 1usize..40,
        ) {
            let mut bytes = Vec::new();
            for payload in &payloads {
                write(&mut bytes, Command::Wrte, [1, 2], payload, Checksum::Included);
            }
            let mut reader = Reader::new(60);
            let mut read = Vec::new();
            for piece in bytes.chunks(piece) {
                reader.push(piece);
                while let Some(packet) = reader.next_packet().expect("packets") {
                    assert!(packet.is_checked());
                    read.push(packet.payload);
                }
            }
            prop_assert_eq!(read, payloads);
            prop_assert!(!reader.is_amid());
        }
    }
}
