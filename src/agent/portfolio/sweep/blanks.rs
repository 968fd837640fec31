//! Blanks of a page, and the fillings that are tried there: each once, those first that have worked elsewhere.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::rng::Rng;
use crate::sorted;

/// Most fillings of a form that are tried.
const TRIED_MAX: usize = 20_000;
/// Most fillings whose answer was unlike those before, and most that have led on.
const BASES_MAX: usize = 8;
const ACCEPTED_MAX: usize = 4;
/// Most times that such a filling may have come to nothing since: it may have led on by chance.
const FAILS_MAX: u32 = 2;
/// Most texts that are known to have worked, and of these for each field.
const KEYS_MAX: usize = 64;
const LENT_MAX: usize = 4;

/// Entry of each blank: a place in its entries.
pub type Filling = Vec<u8>;

/// Blank of a page.
#[derive(Clone, Debug)]
pub enum Blank {
    /// Box: ticked or not, in this order. What asks for a tick is more common than what refuses one.
    Tick,
    /// Field, with a number for its name, and the texts that it takes, each with the degree by which it does not fit.
    Field(u64, Vec<Arc<str>>, Vec<u8>),
}

impl Blank {
    fn entries(&self) -> u64 {
        match self {
            Blank::Tick => 2,
            Blank::Field(_, texts, _) => texts.len() as u64,
        }
    }
}

/// Text that has led on, the name of its field, and the number of times.
#[derive(Clone, Debug)]
struct Worked {
    name: u64,
    text: Arc<str>,
    times: u32,
}

/// Texts that have led on in any form.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    list: Vec<Worked>,
}

impl Keys {
    /// Notes a text that has led on in a field of this name.
    fn add(&mut self, name: u64, text: &Arc<str>) {
        if let Some(known) = self.list.iter_mut().find(|known| known.name == name && known.text == *text) {
            known.times += 1;
        } else if self.list.len() < KEYS_MAX {
            self.list.push(Worked { name, text: text.clone(), times: 1 });
        }
    }

    /// Returns the places in `texts` of those that have led on, the likeliest for a field of this name first.
    fn lent(&self, name: u64, texts: &[Arc<str>]) -> Vec<u8> {
        let mut known: Vec<&Worked> = self.list.iter().collect();
        sorted::by_key(&mut known, |known| (known.name != name, std::cmp::Reverse(known.times)));
        let mut lent: Vec<u8> = Vec::new();
        for Worked { text, .. } in known {
            if let Some(at) = texts.iter().position(|own| own == text)
                && !lent.contains(&(at as u8))
                && lent.len() < LENT_MAX
            {
                lent.push(at as u8);
            }
        }
        lent
    }
}

/// Filling that has led on, and the clicks that did it.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The filling.
    pub filling: Filling,
    /// Buttons in the order in which they were clicked.
    pub clicks: Vec<u16>,
    /// Page that it led to.
    pub to: u32,
    /// Times that it has come to nothing since.
    fails: u32,
}

/// Blanks of a page, and what was tried there.
#[derive(Clone, Debug)]
pub struct Form {
    /// The blanks, in the order of the page.
    pub blanks: Vec<Blank>,
    tried: FxHashSet<Filling>,
    /// Order in which the entries of each blank are swept; none before the first sweep.
    order: Vec<Vec<u8>>,
    /// Place in the row of all fillings before which each was tried.
    cursor: u64,
    bases: Vec<Filling>,
    accepted: Vec<Accepted>,
    /// The latest attempt, and its clicks so far.
    last: Option<(Filling, Vec<u16>)>,
    /// The latest attempt that was not ended.
    left: Option<Filling>,
    /// Filling of the latest clicks that belong to no attempt, and these clicks.
    aside: Option<(Filling, Vec<u16>)>,
}

impl Form {
    /// Returns a form of these blanks where nothing was tried.
    pub fn new(blanks: Vec<Blank>) -> Form {
        let (tried, bases, accepted) = (FxHashSet::default(), Vec::new(), Vec::new());
        Form {
            blanks,
            tried,
            order: Vec::new(),
            cursor: 0,
            bases,
            accepted,
            last: None,
            left: None,
            aside: None,
        }
    }

    /// Returns the number of all fillings.
    pub fn size(&self) -> u64 {
        self.blanks.iter().fold(1, |size: u64, blank| size.saturating_mul(blank.entries()))
    }

    /// Returns the filling that led on, and has failed least since.
    pub fn accepted(&self) -> Option<&Accepted> {
        let known = self.accepted.iter().filter(|accepted| accepted.fails <= FAILS_MAX);
        known.min_by_key(|accepted| accepted.fails)
    }

    /// Notes that the click at the end of `clicks` led to the page `to`.
    pub fn accept(&mut self, filling: &Filling, clicks: &[u16], to: u32, keys: &mut Keys) {
        self.tried.insert(filling.clone());
        for (blank, &entry) in self.blanks.iter().zip(filling) {
            if let Blank::Field(name, texts, _) = blank {
                keys.add(*name, &texts[usize::from(entry)]);
            }
        }
        let is_it = |known: &&mut Accepted| known.filling == *filling && known.to == to;
        if let Some(known) = self.accepted.iter_mut().find(is_it) {
            known.fails = 0;
            return;
        }
        let mut all = vec![(filling.clone(), clicks.to_vec())];
        // What opened the way may have been done with the filling before, and only shown itself now.
        if let Some((before, mut clicked)) = self.last.take()
            && before != *filling
        {
            clicked.extend(clicks.last());
            all.push((before, clicked));
        }
        let fresh = all.into_iter().map(|(filling, clicks)| Accepted { filling, clicks, to, fails: 0 });
        self.accepted.splice(0..0, fresh);
        self.accepted.truncate(ACCEPTED_MAX);
    }

    /// Notes an attempt that led nowhere.
    pub fn refuse(&mut self, filling: Filling, clicks: Vec<u16>) {
        for known in self.accepted.iter_mut().filter(|known| known.filling == filling) {
            known.fails += 1;
        }
        if self.tried.len() < TRIED_MAX {
            self.tried.insert(filling.clone());
        }
        self.last = Some((filling, clicks));
    }

    /// Notes a click that belongs to no attempt and led nowhere; the filling is refused once each of the `refusing` buttons was
    /// clicked with it.
    pub fn click(&mut self, filling: Filling, click: u16, refusing: &[u16]) {
        let mut clicks = match self.aside.take() {
            Some((before, clicks)) if before == filling => clicks,
            Some(_) | None => Vec::new(),
        };
        clicks.push(click);
        if refusing.iter().all(|button| clicks.contains(button)) {
            self.refuse(filling, clicks);
        } else {
            self.aside = Some((filling, clicks));
        }
    }

    /// Notes an attempt that was not ended: it is made once more.
    pub fn leave(&mut self, filling: Filling) {
        if self.left.as_ref() == Some(&filling) {
            self.refuse(filling, Vec::new());
        } else {
            self.left = Some(filling);
        }
    }

    /// Notes that the answer to a filling was unlike those before.
    pub fn answered(&mut self, filling: &Filling) {
        if self.bases.len() < BASES_MAX && !self.bases.contains(filling) {
            self.bases.push(filling.clone());
        }
    }

    /// Returns a filling that is likelier than others and was not tried: of texts that have worked elsewhere, or next to
    /// one whose answer was unlike others.
    pub fn likely(&self, keys: &Keys) -> Option<Filling> {
        let is_untried = |filling: &Filling| !self.tried.contains(filling);
        if self.tried.len() >= TRIED_MAX {
            return None;
        }
        let mut lent: Vec<Filling> = vec![Filling::new()];
        for blank in &self.blanks {
            let entries = match blank {
                Blank::Tick => vec![0],
                Blank::Field(name, texts, _) => keys.lent(*name, texts),
            };
            let with = |filling: &Filling, entry: u8| -> Filling {
                filling.iter().copied().chain([entry]).collect()
            };
            lent = lent.iter().flat_map(|one| entries.iter().map(|&entry| with(one, entry))).collect();
            // Combinations multiply; the first ones are the likeliest.
            lent.truncate(64);
        }
        let has_field = self.blanks.iter().any(|blank| matches!(blank, Blank::Field(..)));
        if let Some(filling) = lent.into_iter().find(|filling| has_field && is_untried(filling)) {
            return Some(filling);
        }
        let beside = self.bases.iter().flat_map(|base| {
            let changed = move |at: usize, entry: u8| {
                let mut filling = base.clone();
                filling[at] = entry;
                filling
            };
            let entries = |at: usize| 0..self.blanks[at].entries() as u8;
            (0..base.len()).flat_map(move |at| entries(at).map(move |entry| changed(at, entry)))
        });
        let mut beside = beside;
        beside.find(is_untried)
    }

    /// Returns true if fillings of the row may be left.
    pub fn has_next(&self) -> bool {
        self.cursor < self.size() && self.tried.len() < TRIED_MAX
    }

    /// Returns the next filling of the row that was not tried; one follows another by a change of one blank.
    ///
    /// Texts that fit a field equally well come in an order of chance: any other one would favour some apps.
    pub fn next(&mut self, rng: &mut Rng) -> Option<Filling> {
        if self.order.is_empty() {
            self.order = self.blanks.iter().map(|blank| order(blank, rng)).collect();
        }
        while self.has_next() {
            let filling = self.nth(self.cursor);
            if !self.tried.contains(&filling) {
                return Some(filling);
            }
            self.cursor += 1;
        }
        None
    }

    /// Returns the filling of this number in the reflected Gray code, whose digits are the entries of the blanks: the last
    /// one changes fastest.
    fn nth(&self, number: u64) -> Filling {
        let mut left = number;
        let digits = self.order.iter().rev().map(|order| {
            let entries = order.len().max(1) as u64;
            let (above, digit) = (left / entries, left % entries);
            left = above;
            let digit = if above.is_multiple_of(2) { digit } else { entries - 1 - digit };
            order[digit as usize]
        });
        let mut filling: Filling = digits.collect();
        filling.reverse();
        filling
    }
}

/// Returns the entries of `blank` in an order of chance, those first that fit better.
fn order(blank: &Blank, rng: &mut Rng) -> Vec<u8> {
    let mut order: Vec<u8> = (0..blank.entries() as u8).collect();
    if let Blank::Field(_, _, misfits) = blank {
        rng.shuffle(&mut order);
        sorted::by_key(&mut order, |&entry| misfits[usize::from(entry)]);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    fn field(name: u64, texts: &[&str]) -> Blank {
        Blank::Field(name, texts.iter().map(|&text| text.into()).collect(), vec![0; texts.len()])
    }

    /// Fillings of `form` until none is left, each refused.
    fn all(form: &mut Form) -> Vec<Filling> {
        let (mut all, mut rng) = (Vec::new(), Seed(1).fork("test"));
        while let Some(filling) = form.next(&mut rng) {
            form.refuse(filling.clone(), vec![0]);
            all.push(filling);
        }
        all
    }

    #[test]
    fn every_filling_is_tried_once_and_each_changes_one_blank() {
        for blanks in [
            vec![field(1, &["a", "b", "c"])],
            vec![field(1, &["a", "b", "c"]), field(2, &["a", "b"])],
            vec![Blank::Tick, field(1, &["a", "b", "c"]), field(2, &["x", "y", "z", "w"])],
        ] {
            let mut form = Form::new(blanks);
            let all = all(&mut form);
            let different: FxHashSet<&Filling> = all.iter().collect();
            assert_eq!((different.len() as u64, all.len() as u64), (form.size(), form.size()));
            for pair in all.windows(2) {
                let changes = pair[0].iter().zip(&pair[1]).filter(|(one, other)| one != other).count();
                assert_eq!(changes, 1, "{all:?}");
            }
            assert_eq!(form.likely(&Keys::default()), None);
        }
    }

    #[test]
    fn texts_that_have_worked_come_first_elsewhere_those_of_the_same_name_before_others() {
        let texts = ["a", "b", "c", "d"];
        let mut keys = Keys::default();
        let mut login = Form::new(vec![field(1, &texts), field(2, &texts)]);
        login.accept(&vec![1, 3], &[0], 7, &mut keys);
        let accepted = login.accepted().expect("it led on");
        assert_eq!((&accepted.filling, accepted.to), (&vec![1, 3], 7));
        let mut again = Form::new(vec![field(2, &texts)]);
        let mut tried = Vec::new();
        while let Some(filling) = again.likely(&keys) {
            again.refuse(filling.clone(), Vec::new());
            tried.push(filling[0]);
        }
        assert_eq!(tried, [3, 1], "the password first, then the name");
        assert!(again.next(&mut Seed(1).fork("test")).is_some_and(|filling| ![1, 3].contains(&filling[0])));
    }

    #[test]
    fn after_a_new_answer_one_blank_changes_at_a_time() {
        let texts = ["a", "b", "c", "d", "e", "f"];
        let mut form = Form::new(vec![field(1, &texts), field(2, &texts)]);
        form.refuse(vec![2, 4], vec![0]);
        form.answered(&vec![2, 4]);
        let mut number = 0;
        while let Some(filling) = form.likely(&Keys::default()) {
            assert!(filling[0] == 2 || filling[1] == 4, "{filling:?}");
            form.refuse(filling, vec![0]);
            number += 1;
        }
        assert_eq!(number, 10);
    }

    #[test]
    fn what_opens_a_way_that_shows_later_is_found_among_the_last_two_attempts() {
        let mut keys = Keys::default();
        let mut form = Form::new(vec![field(1, &["a", "b", "c"])]);
        form.refuse(vec![0], vec![5, 6]);
        form.accept(&vec![1], &[5], 9, &mut keys);
        let first = form.accepted().expect("the latest").clone();
        assert_eq!(first.filling, [1]);
        form.refuse(first.filling, first.clicks);
        let second = form.accepted().expect("the one before");
        assert_eq!((&second.filling[..], &second.clicks[..]), (&[0][..], &[5, 6, 5][..]));
    }

    #[test]
    fn a_filling_that_others_have_tried_is_not_tried_again() {
        let mut form = Form::new(vec![field(1, &["a", "b", "c"])]);
        // Two buttons refuse; a click on one says nothing of the other, and another filling came in between.
        for (filling, button) in [(0, 5), (1, 5), (0, 6), (2, 6), (2, 5)] {
            form.click(vec![filling], button, &[5, 6]);
        }
        let mut left: Vec<Filling> = all(&mut form);
        left.sort();
        assert_eq!(left, [[0], [1]]);
    }

    #[test]
    fn texts_that_fit_come_first_and_others_in_an_order_of_chance() {
        let texts: Vec<Arc<str>> = ["a", "b", "c", "d", "e", "f"].map(Arc::from).into();
        let blank = Blank::Field(1, texts, vec![1, 0, 1, 1, 0, 1]);
        let orders: FxHashSet<Vec<u8>> =
            (0..50).map(|seed| order(&blank, &mut Seed(seed).fork("test"))).collect();
        assert!(orders.len() > 20, "{orders:?}");
        for order in orders {
            assert!(order[..2].contains(&1) && order[..2].contains(&4), "{order:?}");
            assert_eq!(order.iter().copied().collect::<FxHashSet<u8>>().len(), 6);
        }
    }
}
