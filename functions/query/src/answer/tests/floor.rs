//! Where the evidence floor lies.

use super::*;
