//! Graph of pages and events: how often each event was done, and what lies behind it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::net::{BINS, GENERATIONS};
use crate::recent::Recent;
use crate::situation::StateId;

/// Pages that are kept in each half of their table: some 8 MB where each has 50 events.
const PAGES_HALF: usize = 10_000;

/// Events that are kept in each half of their table: some 20 MB.
const VERTICES_HALF: usize = 100_000;

/// Most pages that an event is known to lead to, and most of a generation.
const TO_MAX: usize = 8;
const GENERATION_MAX: usize = 64;

/// Most generations that are searched for an event that was never done.
const REACH: u32 = 12;

/// Most events of a page that count, and most of a bin.
pub const EVENTS_MAX: usize = 256;
const BIN_MAX: u32 = 50;

/// Events of a generation by how often they were done; the last bin has those done more often, too.
pub type Generation = [u8; BINS];

/// Event of the graph, which may be on many pages.
#[derive(Clone, Debug, Default)]
struct Vertex {
    times: u32,
    /// Pages that it led to, the latest last.
    to: Vec<StateId>,
}

/// Events of a page, those of the system last.
#[derive(Clone, Debug, Default)]
struct Met {
    events: Arc<[u64]>,
    of_app: usize,
}

/// Pages and events of a run.
#[derive(Clone, Debug)]
pub struct Graph {
    pages: Recent<StateId, Met>,
    vertices: Recent<u64, Vertex>,
    /// Times that each event was done on a page.
    times_on: Recent<(StateId, u64), u32>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            pages: Recent::new(PAGES_HALF),
            vertices: Recent::new(VERTICES_HALF),
            times_on: Recent::new(VERTICES_HALF),
        }
    }
}

impl Graph {
    /// Takes in the events of a page, and those of the system on it.
    pub fn meet(
        &mut self,
        page: StateId,
        of_app: impl Iterator<Item = u64>,
        of_system: impl Iterator<Item = u64>,
    ) {
        let mut events: Vec<u64> = of_app.take(EVENTS_MAX).collect();
        let of_app = events.len();
        events.extend(of_system.take(EVENTS_MAX - of_app));
        *self.pages.get_or_insert_with(page, Met::default, drop) = Met { events: events.into(), of_app };
    }

    /// Counts an event, which led from the page `from` to the page `to`.
    pub fn count(&mut self, from: StateId, event: u64, to: StateId) {
        let times = self.times_on.get_or_insert_with((from, event), || 0, drop);
        *times = times.saturating_add(1);
        let vertex = self.vertices.get_or_insert_with(event, Vertex::default, drop);
        vertex.times = vertex.times.saturating_add(1);
        vertex.to.retain(|page| *page != to);
        if vertex.to.len() == TO_MAX {
            vertex.to.remove(0);
        }
        vertex.to.push(to);
    }

    /// Returns the times that an event was done.
    pub fn times(&self, event: u64) -> u32 {
        self.vertices.peek(&event).map_or(0, |vertex| vertex.times)
    }

    /// Returns the times that an event was done on this page.
    pub fn times_on(&self, page: StateId, event: u64) -> u32 {
        self.times_on.peek(&(page, event)).copied().unwrap_or(0)
    }

    /// Returns a reader of what lies behind events, as long as nothing is counted.
    pub fn ahead(&self) -> Ahead<'_> {
        Ahead {
            graph: self,
            number_of: FxHashMap::default(),
            pages: Vec::new(),
            marked: Vec::new(),
            mark: 0,
            nexts: Vec::new(),
        }
    }
}

/// Page, as a generation has it.
#[derive(Clone, Copy, Debug)]
struct Page {
    bins: [u32; BINS],
    /// True if some event of the app was never done here.
    is_fresh: bool,
    /// Pages that its events led to, as a part of a list; none yet worked out if there is none.
    next: Option<(usize, usize)>,
    state: StateId,
}

/// Reader of what lies behind events; it works out each page once.
#[derive(Debug)]
pub struct Ahead<'a> {
    graph: &'a Graph,
    number_of: FxHashMap<StateId, usize>,
    pages: Vec<Page>,
    /// Mark of each page that is in the generation at hand.
    marked: Vec<u32>,
    mark: u32,
    /// Pages behind pages.
    nexts: Vec<usize>,
}

impl Ahead<'_> {
    /// Returns the generations behind an event, nothing but zeros if it was never done.
    pub fn of(&mut self, event: u64) -> [Generation; GENERATIONS] {
        let mut generations = [[0; BINS]; GENERATIONS];
        let Some(vertex) = self.graph.vertices.peek(&event) else { return generations };
        let mut pages: Vec<usize> = vertex.to.iter().map(|&to| self.page(to)).collect();
        for (nth, generation) in generations.iter_mut().enumerate() {
            let mut bins = [0; BINS];
            for &page in &pages {
                bins.iter_mut().zip(self.pages[page].bins).for_each(|(sum, count)| *sum += count);
            }
            *generation = bins.map(|count: u32| count.min(BIN_MAX) as u8);
            if nth + 1 < GENERATIONS {
                pages = self.next(&pages);
            }
        }
        generations
    }

    /// Returns the steps from an event of the app to the nearest one that was never done, 0 if it is one.
    /// Returns none if none is near.
    pub fn distance(&mut self, event: u64) -> Option<u32> {
        let Some(vertex) = self.graph.vertices.peek(&event) else { return Some(0) };
        let mut pages: Vec<usize> = vertex.to.iter().map(|&to| self.page(to)).collect();
        for distance in 1..=REACH {
            if pages.iter().any(|&page| self.pages[page].is_fresh) {
                return Some(distance);
            }
            pages = self.next(&pages);
        }
        None
    }

    /// Returns the pages behind some pages.
    fn next(&mut self, pages: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        let spans: Vec<(usize, usize)> = pages.iter().map(|&page| self.behind(page)).collect();
        self.mark += 1;
        for (start, end) in spans {
            for &page in &self.nexts[start..end] {
                if self.marked[page] != self.mark && found.len() < GENERATION_MAX {
                    self.marked[page] = self.mark;
                    found.push(page);
                }
            }
        }
        found
    }

    /// Returns the part of the list that has the pages behind a page.
    fn behind(&mut self, page: usize) -> (usize, usize) {
        if let Some(span) = self.pages[page].next {
            return span;
        }
        let start = self.nexts.len();
        let met = self.graph.pages.peek(&self.pages[page].state).cloned().unwrap_or_default();
        self.mark += 1;
        for event in &*met.events {
            let Some(vertex) = self.graph.vertices.peek(event) else { continue };
            for &to in &vertex.to {
                let number = self.page(to);
                if self.marked[number] != self.mark && self.nexts.len() < start + GENERATION_MAX {
                    self.marked[number] = self.mark;
                    self.nexts.push(number);
                }
            }
        }
        let span = (start, self.nexts.len());
        self.pages[page].next = Some(span);
        span
    }

    /// Returns the number of a page.
    fn page(&mut self, state: StateId) -> usize {
        if let Some(&known) = self.number_of.get(&state) {
            return known;
        }
        let mut bins = [0; BINS];
        let mut is_fresh = false;
        if let Some(met) = self.graph.pages.peek(&state) {
            for (at, event) in met.events.iter().enumerate() {
                let times = self.graph.times(*event);
                bins[(times as usize).min(BINS - 1)] += 1;
                is_fresh |= times == 0 && at < met.of_app;
            }
        }
        let number = self.pages.len();
        self.number_of.insert(state, number);
        self.pages.push(Page { bins, is_fresh, next: None, state });
        self.marked.push(0);
        number
    }
}
