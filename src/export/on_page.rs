//! Commands of pages: what a browser does with a page and no phone does with an app, and the answers to its dialogs.
//!
//! A dialog of the browser is a screen of its own in a test, and its buttons are widgets there. Tools answer a dialog where it
//! opens, so the steps on a dialog are read with the step before them.

use super::commands::Widget;
use crate::device::webdriver::{DIALOG_CANCEL, DIALOG_FIELD, DIALOG_OK};
use crate::gui::{Action, Element, Target, Touch, is_origin};
use crate::test_case::{TestCase, TestStep};

/// A command that only a page takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum PageCommand<'a> {
    DoubleClick(Widget<'a>),
    /// Puts the mouse over an element.
    Hover(Widget<'a>),
    /// Chooses an entry of a select.
    Choose(Widget<'a>),
    Forward,
    Reload,
    /// Makes the window narrow, or wide again.
    Resize {
        is_narrow: bool,
    },
    /// Does nothing, as the dialog was answered where it opened.
    Answered,
}

impl PageCommand<'_> {
    /// Returns the note that a phone does not do it.
    pub fn refusal(self) -> &'static str {
        match self {
            PageCommand::Hover(_) => "a phone has no mouse, so the step is left out",
            PageCommand::DoubleClick(_)
            | PageCommand::Choose(_)
            | PageCommand::Forward
            | PageCommand::Reload
            | PageCommand::Resize { .. }
            | PageCommand::Answered => "a phone has no such action, so the step is left out",
        }
    }
}

/// Answer to a dialog of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer<'a> {
    pub accepts: bool,
    /// Text for the field of a prompt.
    pub text: Option<&'a str>,
}

/// Returns true if `test` was found on a page.
pub(super) fn is_of_page(test: &TestCase) -> bool {
    is_origin(&test.provenance.package)
}

/// Returns true if `on` is an entry of a select.
pub(super) fn is_entry(on: &Target) -> bool {
    Element::of(&on.class).is_some_and(|element| element.tag == "option")
}

/// Returns true if `action` is done on a dialog of the browser.
pub(super) fn is_answer(action: &Action) -> bool {
    action.target().is_some_and(|on| {
        // An element of a page is deeper in its tree.
        [DIALOG_OK, DIALOG_CANCEL, DIALOG_FIELD].contains(&&*on.id) && on.object_id.matches(':').count() == 1
    })
}

/// Returns the answer to the dialog that is in front before the steps `after`; none if they are done on a page. A dialog that
/// they leave alone is dismissed.
pub(super) fn answered(after: &[TestStep]) -> Option<Answer<'_>> {
    let mut answer = None;
    for step in after.iter().take_while(|step| is_answer(&step.action)) {
        let before: Answer<'_> = answer.unwrap_or(Answer { accepts: false, text: None });
        match &step.action {
            Action::Text { text, .. } => answer = Some(Answer { text: Some(text), ..before }),
            Action::Touch(Touch::Hover, _) => answer = Some(before),
            Action::Touch(Touch::Click | Touch::LongClick | Touch::DoubleClick, on) => {
                return Some(Answer { accepts: &*on.id == DIALOG_OK, ..before });
            }
            Action::Reinitialise(_) | Action::Stroke(..) | Action::Device(_) | Action::User { .. } => {
                answer = Some(before);
            }
        }
    }
    answer
}
