//! Uses of declarations, and warnings of declarations that are never used or seen.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::{GlobalId, OwnId, ProcedureId, WindowId};
use super::Reader;
use super::items::ItemKind;
use crate::text::{Diagnostic, Span, clip};

/// Owner of the effects at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// A part by itself: its effects belong to those who use it.
    #[default]
    Nobody,
    Window(WindowId),
    Procedure(ProcedureId),
}

/// Uses of declarations.
#[derive(Default)]
pub(super) struct Uses<'a> {
    owner: Owner,
    opens: BTreeSet<(Owner, WindowId)>,
    calls: BTreeSet<(Owner, ProcedureId)>,
    globals: BTreeSet<GlobalId>,
    own: BTreeSet<(WindowId, OwnId)>,
    parts: BTreeSet<u32>,
    /// First places that open an activity for a result, and first places that wait for a result.
    asked: BTreeMap<&'a str, Span>,
    awaited: BTreeMap<&'a str, Span>,
}

impl<'a> Uses<'a> {
    /// Counts uses for `owner` from here on.
    pub fn enter(&mut self, owner: Owner) {
        self.owner = owner;
    }

    pub fn open(&mut self, window: WindowId) {
        self.opens.insert((self.owner, window));
    }

    pub fn call(&mut self, procedure: ProcedureId) {
        self.calls.insert((self.owner, procedure));
    }

    pub fn global(&mut self, global: GlobalId) {
        self.globals.insert(global);
    }

    pub fn own(&mut self, window: WindowId, own: OwnId) {
        self.own.insert((window, own));
    }

    pub fn part(&mut self, part: u32) {
        self.parts.insert(part);
    }

    pub fn ask(&mut self, request: &'a str, at: Span) {
        self.asked.entry(request).or_insert(at);
    }

    pub fn wait_for(&mut self, request: &'a str, at: Span) {
        self.awaited.entry(request).or_insert(at);
    }

    fn reached(&self, launchable: &[WindowId]) -> BTreeSet<Owner> {
        let mut reached = BTreeSet::new();
        let mut ahead: Vec<Owner> = launchable.iter().map(|&window| Owner::Window(window)).collect();
        while let Some(owner) = ahead.pop() {
            if reached.insert(owner) {
                // Sorted by owner, so that the uses of one owner lie side by side.
                let opened = self.opens.range((owner, 0)..=(owner, WindowId::MAX));
                ahead.extend(opened.map(|&(_, window)| Owner::Window(window)));
                let called = self.calls.range((owner, 0)..=(owner, ProcedureId::MAX));
                ahead.extend(called.map(|&(_, procedure)| Owner::Procedure(procedure)));
            }
        }
        reached
    }
}

impl Reader<'_> {
    /// Reports activities that are opened for a result, with nobody who waits for it.
    pub(super) fn check_requests(&mut self) {
        // A window with mistakes may wait for any result.
        if !self.declared.broken.is_empty() {
            return;
        }
        let asked = self.uses.asked.clone();
        let awaited: Vec<&str> = self.uses.awaited.keys().copied().collect();
        for (name, at) in asked {
            if !self.uses.awaited.contains_key(name) && !self.is_enough("E-unknown-request", &at) {
                let help = self.near(name, awaited.iter().copied(), |_| {
                    format!("wait for it where it is opened: `on result {}: ...`", clip(name))
                });
                let message = format!("nobody waits for the result `{}`", clip(name));
                self.error("E-unknown-request", at, message, help);
            }
        }
    }

    /// Warns of declarations that are never used, and of windows that can never be seen.
    pub(super) fn warn(&mut self) {
        let mut found = Vec::new();
        let reached = self.uses.reached(&self.declared.launchable);
        for (number, window) in self.declared.windows.iter().enumerate() {
            let number = number as WindowId;
            if !reached.contains(&Owner::Window(number)) {
                let (message, help) = match window.kind {
                    ItemKind::Activity => {
                        ("can never be opened", format!("`open {}` somewhere", clip(window.name)))
                    }
                    _ => ("can never be shown", format!("`show {}` somewhere", clip(window.name))),
                };
                let message = format!("`{}` {message}", clip(window.name));
                found.push(Diagnostic::warning("W-unreachable", window.span.clone(), message).help(help));
                // Variables of a window that is never seen would only repeat the warning.
                continue;
            }
            // Parameters get their values from others, so they count as used.
            for (own, head) in window.own.iter().enumerate().skip(window.parameters as usize) {
                if !self.uses.own.contains(&(number, own as OwnId)) {
                    found.push(unused("variable", head.name, head.span.clone()));
                }
            }
        }
        for (number, global) in self.declared.globals.iter().enumerate() {
            if !self.uses.globals.contains(&(number as GlobalId)) {
                found.push(unused("variable", global.name, global.span.clone()));
            }
        }
        for (number, part) in self.declared.parts.iter().enumerate() {
            if !self.uses.parts.contains(&(number as u32)) {
                found.push(unused("part", part.name, part.span.clone()));
            }
        }
        // A `def` that only itself calls is unused.
        let called: BTreeSet<ProcedureId> = self
            .uses
            .calls
            .iter()
            .filter(|&&(owner, procedure)| owner != Owner::Procedure(procedure))
            .map(|&(_, procedure)| procedure)
            .collect();
        for (number, procedure) in self.declared.procedures.iter().enumerate() {
            if !called.contains(&(number as ProcedureId)) {
                found.push(unused("def", procedure.name, procedure.span.clone()));
            }
        }
        for (name, at) in &self.uses.awaited {
            if !self.uses.asked.contains_key(name) {
                let message = format!("no activity is opened for the result `{}`", clip(name));
                let help = format!("write `open ... for {}` where it is opened", clip(name));
                found.push(Diagnostic::warning("W-request", at.clone(), message).help(help));
            }
        }
        for warning in found {
            self.diagnostics.warning(|| warning);
        }
    }
}

fn unused(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning("W-unused", span, format!("nobody uses the {what} `{}`", clip(name)))
        .help("leave it out, or use it")
}
