// Package block asks storage for blocks and counts what comes: the engine of the method of that name, for one initiator.
//
// A Job says what is asked for. Prepare checks it, opens the target, lays out a file that it makes itself, and has every thread stand ready;
// Run starts at a moment, warms up, measures and drains; Close takes away what Prepare made. Between them nothing is read or written.
//
// Each thread has its own part of the target, its own requests under way (depth) and its own way to the target. A latency is from handing a
// request over to seeing that it is complete, on one clock. Where several completions are seen together they share one reading of that clock.
package block
