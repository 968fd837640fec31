//! The phone as adb's wire asks for it.

use std::time::Duration;

use super::files::Stat;
use super::system::Phone;
use super::version::AndroidVersion;
use crate::emulator::adbd::{Backend, FileStat, Ran, WireFault};

impl Backend for Phone {
    fn product(&self) -> [String; 3] {
        Phone::product(self)
    }

    fn features(&self) -> &'static str {
        // The wire tells an old adb by this.
        if self.is_adb_old {
            return "";
        }
        // As `adb features` prints them on each version, without compression and other features not served here.
        match self.version {
            AndroidVersion::V7 => "shell_v2,cmd",
            AndroidVersion::V8 | AndroidVersion::V9 => "shell_v2,cmd,stat_v2",
            AndroidVersion::V10 => {
                "shell_v2,cmd,stat_v2,fixed_push_mkdir,apex,abb,fixed_push_symlink_timestamp"
            }
            AndroidVersion::V11 | AndroidVersion::V13 | AndroidVersion::V16 => {
                "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,fixed_push_symlink_timestamp,abb_exec,\
                 remount_shell"
            }
        }
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        Phone::shell(self, line, stdin)
    }

    fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        Phone::shell_joined(self, line, stdin)
    }

    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran {
        Phone::abb(self, arguments, stdin)
    }

    fn stat(&mut self, path: &str) -> Option<FileStat> {
        Phone::stat(self, path).map(FileStat::from)
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        // The protocol cannot tell why a folder is unreadable; a phone lists it as empty.
        let listed = Phone::list(self, path).unwrap_or_default();
        listed.into_iter().map(|(name, stat)| (name, stat.into())).collect()
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        Phone::read(self, path).map(|bytes| bytes.to_vec()).map_err(|error| error.to_string())
    }

    fn write(&mut self, path: &str, mode: u32, mtime: u32, bytes: Vec<u8>) -> Result<(), String> {
        Phone::write(self, path, mode, mtime.into(), &bytes).map_err(|error| error.to_string())
    }

    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>) {
        let picture = Phone::framebuffer(self);
        (picture.width, picture.height, picture.rgba)
    }

    fn logged(&self) -> u64 {
        self.log.written()
    }

    fn skip_log(&mut self, entries: u64) {
        self.log.skip(entries);
    }

    fn wire_fault(&mut self) -> Option<WireFault> {
        self.faults.on_wire()
    }

    fn take_lateness(&mut self) -> Duration {
        self.faults.take_lateness()
    }

    fn reboot(&mut self) {
        Phone::reboot(self);
    }

    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        Phone::tcp(self, port, request)
    }

    fn take_server(&mut self) -> Option<u32> {
        Phone::take_server(self)
    }

    fn end_server(&mut self, pid: u32) {
        Phone::end_server(self, pid);
    }

    fn server_output(&mut self, pid: u32) -> Vec<u8> {
        Phone::server_output(self, pid)
    }

    fn ended_server(&mut self, pid: u32) -> Option<Ran> {
        Phone::ended_server(self, pid)
    }
}

impl From<Stat> for FileStat {
    fn from(Stat { mode, size, mtime }: Stat) -> FileStat {
        FileStat { mode, size, mtime: u32::try_from(mtime).unwrap_or(u32::MAX) }
    }
}
