// Package block sends requests to storage and counts the completions: the engine of method storage, for one
// initiator.
//
// A Job describes the requests. Prepare checks it, opens the target, lays out a file that it creates itself, and makes
// every thread ready. Run starts at a given time, warms up, measures and drains. Close removes what Prepare created.
// Between these calls nothing is read or written.
//
// Each thread has its own part of the target, its own outstanding requests (depth) and its own queue. A latency is the
// time from submitting a request to seeing its completion, on one clock. Completions that are seen together share one
// reading of that clock.
package block
