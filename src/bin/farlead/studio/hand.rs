//! Touches made by hand on the device, which become steps of the run while they are followed.

use farlead::device::{Following, HandGesture, HandNews, Place};
use farlead::studio::{self, Refusal};
use serde_json::{Value, json};

use super::{Host, Incoming};
use crate::Mistake;

/// The hand on the device.
#[derive(Default)]
pub struct FollowedHand {
    /// None while nobody follows it.
    following: Option<Following>,
    /// Number of the last following: news of an earlier one may still be on their way.
    number: u64,
    /// Place where the keyboard was touched since the last look: the screen is looked at once the hand rests.
    typed: Option<Place>,
}

impl Host<'_> {
    /// Follows the hand on the device from now on, or no longer.
    pub(super) fn follow(&mut self, on: bool) -> anyhow::Result<Value> {
        if !on {
            self.end_following(None);
        } else if self.hand.following.is_none() {
            if self.studio.is_away() {
                return Err(Refusal::Busy.into());
            }
            let hand = self.studio.hand().ok_or_else(|| {
                let message = "touches can be followed on a phone that adb reaches, and on no other device";
                Mistake::new(message.to_string())
            })?;
            self.hand.number += 1;
            let (number, sender) = (self.hand.number, self.sender.clone());
            let following = hand.follow(Box::new(move |news| {
                // A studio that has ended hears nothing any more.
                let _ = sender.send(Incoming::Touched(number, news));
            }))?;
            self.hand.following = Some(following);
            self.tell_follow(None);
        }
        Ok(json!({}))
    }

    /// Ends the following, for a reason that the user does not know yet.
    pub(super) fn end_following(&mut self, why: Option<&str>) {
        self.hand.typed = None;
        if self.hand.following.take().is_some() {
            self.tell_follow(why);
        }
    }

    pub(super) fn tell_follow(&mut self, why: Option<&str>) {
        let (can, on) = (self.studio.hand().is_some(), self.hand.following.is_some());
        self.desk.lock().tell_follow(can, on, why);
    }

    /// Takes news of the hand.
    pub(super) fn take_touch(&mut self, number: u64, news: HandNews) {
        if number != self.hand.number || self.hand.following.is_none() {
            return;
        }
        match news {
            // Each look takes longer than a key, so the text is read when the hand rests.
            HandNews::Did(HandGesture::Typing(at)) if self.studio.shows_keyboard() => {
                self.hand.typed = Some(at);
            }
            HandNews::Did(gesture) => {
                self.rest();
                self.step(gesture);
            }
            HandNews::Lost(why) => {
                self.end_following(Some(&format!("touches are followed no longer: {why}")))
            }
        }
    }

    /// Reads what was typed by hand, if something was.
    pub(super) fn rest(&mut self) {
        if let Some(at) = self.hand.typed.take() {
            self.step(HandGesture::Typing(at));
        }
    }

    /// Adds a gesture to the run, and tells all pages what has become of it.
    fn step(&mut self, gesture: HandGesture) {
        let why = match self.studio.follow(gesture) {
            Ok(studio::Followed::Step | studio::Followed::Part) => None,
            Ok(studio::Followed::Not(why)) => Some(why.to_string()),
            Err(refusal) => {
                self.let_go_if_lost(&refusal);
                Some(refusal.to_string())
            }
        };
        // A gesture that is no step has changed the screen, and so the view.
        if self.tell_view().is_ok()
            && let Some(why) = why
        {
            self.desk.lock().tell_all(&json!({ "event": "touch", "why": why }));
        }
    }
}
