// Package result is the record that everything measured becomes, and the run
// folder on disk.
//
// A program that measures makes a Folder (Create, CreateDefault, or Resume), records
// with Started, Experiment, Repeat, Samples and the others as it goes, writes
// captures and the report, and ends with Finish and Close. Everybody else reads with Open.
package result
