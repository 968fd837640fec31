//! `farlead export`: a stored test as code that a team can keep without farlead.
