// Package runfolder writes and reads the folder of a run: journal, samples, snapshots, manifest and page.
//
// The program that measures makes a Folder (Create, CreateDefault or Resume). It records with Started, Experiment,
// Repeat, Samples and the others during the run, writes snapshots and the report, and ends with Finish and Close.
// Everything else reads with Open.
package runfolder
