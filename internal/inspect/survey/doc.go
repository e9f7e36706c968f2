// Package survey drafts a fabric file from the facts of machines, with notes on what it could not see. It contacts no
// host and writes nothing.
package survey
