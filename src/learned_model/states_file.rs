//! The part of the file `model.json` that holds an abstraction: its trees, states and edges, one on each line.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::file::{hexadecimal, push, push_list, within};
use super::states::{
    AbstractEdge, AbstractState, AbstractWidget, Barred, GrownTree, LearnedAbstraction, Naming, StateKey,
    WIDGETS_MAX,
};
use super::{Reducer, STATES_MAX, TRANSITIONS_MAX};

/// The abstraction as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AbstractionForm {
    name: Arc<str>,
    start: StartsForm,
    refinements: usize,
    left_out: usize,
    trees: Vec<TreeForm>,
    refined: Vec<(u32, String, u32)>,
    barred: Vec<BarredForm>,
    unexplained: Vec<(u32, String, String, u32)>,
    unsplit: Vec<(u32, String, String)>,
    noise: Vec<String>,
    states: Vec<StateForm>,
    edges: Vec<EdgeForm>,
}

/// Reducers of the first tree.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartsForm {
    other: String,
    acting: String,
    other_row: String,
    acting_row: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeForm {
    tree: usize,
    from: u32,
    at: u16,
    selector: String,
    by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    like: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BarredForm {
    tree: u32,
    names: String,
    at: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    by: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateForm {
    state: usize,
    tree: u32,
    names: String,
    screens: Vec<usize>,
    widgets: Vec<WidgetForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WidgetForm {
    name: String,
    by: String,
    like: Arc<str>,
    does: Vec<Arc<str>>,
    count: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EdgeForm {
    from: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    widget: Option<usize>,
    by: Arc<str>,
    to: usize,
    hits: u64,
    misses: u64,
}

/// Returns a number as it is written: JSON's are too short.
fn digits(number: u64) -> String {
    format!("{number:016x}")
}

/// Returns the number that [`digits`] wrote.
fn number(digits: &str) -> Result<u64, String> {
    let number = hexadecimal(digits, 16).and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| format!("the abstraction has a name `{}` that is none", digits.escape_default()))
}

fn reducer(text: &str) -> Result<Reducer, String> {
    Reducer::parse(text).ok_or_else(|| format!("there is no reducer `{}`", text.escape_default()))
}

fn key(tree: u32, names: &str) -> Result<StateKey, String> {
    Ok(StateKey { tree, names: number(names)? })
}

/// Adds the abstraction to the text of a file.
pub(super) fn push_abstraction(text: &mut String, abstraction: &LearnedAbstraction) {
    let LearnedAbstraction { naming, states, edges, left_out } = abstraction;
    let [other, acting, other_row, acting_row] = naming.starts.map(|start| start.to_string());
    *text += "\"abstraction\":{\n";
    push(text, "name", &naming.abstraction);
    push(text, "start", &StartsForm { other, acting, other_row, acting_row });
    push(text, "refinements", &naming.refinements);
    push(text, "left_out", left_out);
    let trees = (1..).zip(&naming.trees).map(|(number, tree)| TreeForm {
        tree: number,
        from: tree.from,
        at: tree.at,
        selector: digits(tree.selector),
        by: tree.reducer.to_string(),
        like: tree.like.clone(),
    });
    push_list(text, "trees", trees);
    let refined = naming.refined.iter().map(|(state, to)| (state.tree, digits(state.names), to));
    push_list(text, "refined", refined);
    let barred = naming.barred.iter().map(|one| BarredForm {
        tree: one.state.tree,
        names: digits(one.state.names),
        at: one.at,
        selector: one.selector.map(digits),
        by: one.reducers.iter().map(Reducer::to_string).collect(),
    });
    push_list(text, "barred", barred);
    let unexplained = naming.unexplained.iter();
    push_list(
        text,
        "unexplained",
        unexplained.map(|(state, name, kind)| (state.tree, digits(state.names), digits(*name), kind)),
    );
    let unsplit = naming.unsplit.iter().map(|(state, name)| (state.tree, digits(state.names), digits(*name)));
    push_list(text, "unsplit", unsplit);
    push(text, "noise", &naming.noise.iter().map(|place| digits(*place)).collect::<Vec<_>>());
    push_list(text, "states", states.iter().enumerate().map(|(number, state)| state_form(number, state)));
    let edges = edges.iter().map(|edge| EdgeForm {
        from: edge.from,
        widget: edge.widget,
        by: edge.by.clone(),
        to: edge.to,
        hits: edge.hits,
        misses: edge.misses,
    });
    push_list(text, "edges", edges);
    // The last key has a comma too many.
    text.truncate(text.len() - ",\n".len());
    *text += "},\n";
}

fn state_form(number: usize, state: &AbstractState) -> StateForm {
    let widget = |widget: &AbstractWidget| WidgetForm {
        name: digits(widget.name),
        by: widget.by.to_string(),
        like: widget.like.clone(),
        does: widget.does.clone(),
        count: widget.count,
    };
    StateForm {
        state: number,
        tree: state.key.tree,
        names: digits(state.key.names),
        screens: state.screens.clone(),
        widgets: state.widgets.iter().map(widget).collect(),
    }
}

impl AbstractionForm {
    /// Returns the abstraction of a model that has this number of screens.
    pub fn abstraction(self, screens: usize) -> Result<LearnedAbstraction, String> {
        within("abstract states", self.states.len(), STATES_MAX)?;
        within("edges", self.edges.len(), TRANSITIONS_MAX)?;
        let widgets = self.states.iter().map(|state| state.widgets.len()).sum();
        within("widgets of abstract states", widgets, WIDGETS_MAX)?;
        let StartsForm { other, acting, other_row, acting_row } = self.start;
        let mut starts = [Reducer::NOTHING; super::states::STARTS];
        for (start, text) in starts.iter_mut().zip([other, acting, other_row, acting_row]) {
            *start = reducer(&text)?;
        }
        let mut naming =
            Naming { abstraction: self.name, starts, refinements: self.refinements, ..Naming::default() };
        for (number, form) in (1..).zip(self.trees) {
            let TreeForm { tree, from, at, selector, by, like } = form;
            if tree != number {
                return Err(format!("this is tree {tree}, and tree {number} is next"));
            }
            let (selector, reducer) = (self::number(&selector)?, reducer(&by)?);
            naming.trees.push(GrownTree { from, at, selector, reducer, like });
        }
        for (tree, names, to) in self.refined {
            naming.refined.push((key(tree, &names)?, to));
        }
        for BarredForm { tree, names, at, selector, by } in self.barred {
            let reducers = by.iter().map(|text| reducer(text)).collect::<Result<_, String>>()?;
            let selector = selector.as_deref().map(number).transpose()?;
            naming.barred.push(Barred { state: key(tree, &names)?, at, selector, reducers });
        }
        for (tree, names, name, kind) in self.unexplained {
            naming.unexplained.push((key(tree, &names)?, number(&name)?, kind));
        }
        for (tree, names, name) in self.unsplit {
            naming.unsplit.push((key(tree, &names)?, number(&name)?));
        }
        naming.noise = self.noise.iter().map(|place| number(place)).collect::<Result<_, String>>()?;
        if let Some(mistake) = naming.mistake() {
            return Err(mistake);
        }
        let (mut states, mut taken, mut keys) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for (at, form) in self.states.into_iter().enumerate() {
            if form.state != at {
                return Err(format!("this is abstract state {}, and {at} is next", form.state));
            }
            let state = form.state(&naming)?;
            if !keys.insert(state.key) {
                return Err(format!("abstract state {at} has the names of one before it"));
            }
            if state.screens.is_empty()
                || !state.screens.iter().all(|&one| one < screens && taken.insert(one))
            {
                return Err(format!(
                    "abstract state {at} has no screens, or some that are no states or of another one"
                ));
            }
            states.push(state);
        }
        let mut edges: Vec<AbstractEdge> = Vec::new();
        for EdgeForm { from, widget, by, to, hits, misses } in self.edges {
            let Some(state) = states.get(from).filter(|_| to < states.len()) else {
                return Err(format!("there is no abstract state {}", from.max(to)));
            };
            if widget.is_some_and(|widget| widget >= state.widgets.len()) {
                return Err(format!("abstract state {from} has no such widget"));
            }
            if edges.last().is_some_and(|last| last.from > from) {
                return Err(format!("the edges of abstract state {from} come too late"));
            }
            if hits == 0 || hits.max(misses) > u64::MAX / 4 {
                return Err(format!("an edge from abstract state {from} was never taken, or too often"));
            }
            edges.push(AbstractEdge { from, widget, by, to, hits, misses });
        }
        Ok(LearnedAbstraction { naming, states, edges, left_out: self.left_out })
    }
}

impl StateForm {
    fn state(self, naming: &Naming) -> Result<AbstractState, String> {
        if self.tree as usize > naming.trees.len() {
            return Err(format!("there is no tree {}", self.tree));
        }
        let widget = |form: WidgetForm| {
            let WidgetForm { name, by, like, does, count } = form;
            Ok(AbstractWidget { name: number(&name)?, by: reducer(&by)?, like, does, count })
        };
        Ok(AbstractState {
            key: key(self.tree, &self.names)?,
            screens: self.screens,
            widgets: self.widgets.into_iter().map(widget).collect::<Result<_, String>>()?,
        })
    }
}
