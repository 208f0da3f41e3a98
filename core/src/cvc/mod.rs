//! CVC.
