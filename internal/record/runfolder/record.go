package runfolder

import (
	"linerate/internal/record"
	"slices"
)

// Started records the Run without its experiments, and sets its schema and id. It must be the first event of a folder:
// a run folder without it cannot be read.
func (f *Folder) Started(r *record.Run) error {
	r.Schema, r.ID = record.RunSchema, f.ID
	head := *r
	head.Experiments, head.Files = nil, nil
	if err := f.log.add(runStarted, startBody{Schema: record.JournalSchema, Run: &head}); err != nil {
		return err
	}
	return f.log.sync() // so that a run that began can always be found
}

// Experiment records the current state of an experiment: planned, with NotRun or Failed, or with its estimates. The
// last record of an id counts. Its repeats are not recorded, see Repeat.
func (f *Folder) Experiment(e *record.Experiment) error {
	bare := *e
	bare.Repeats, bare.FollowUp = nil, nil // they have events of their own
	return f.log.add(experiment, &bare)
}

// Repeat records a finished repeat of the experiment.
func (f *Folder) Repeat(experimentID string, r record.Repeat) error {
	return f.log.add(repeatDone, repeatBody{Experiment: experimentID, Repeat: r})
}

// samplesOfEvent is the largest number of samples in an event. At some 50 bytes a sample, that is far below
// longestEvent.
const samplesOfEvent = 100_000

// Samples records a batch of samples. WriteSamples makes samples.parquet of them.
func (f *Folder) Samples(batch []record.Sample) error {
	for part := range slices.Chunk(batch, samplesOfEvent) {
		if err := f.log.add(samples, samplesBody{Series: bundle(part)}); err != nil {
			return err
		}
	}
	return nil
}

// Host records the state of a host. The last record of a name counts.
func (f *Folder) Host(h record.HostState) error { return f.log.add(host, h) }

// Warning records a warning about the run as a whole.
func (f *Folder) Warning(text string) error { return f.log.add(warning, textBody{text}) }

// Verdict records the verdict of the experiment.
func (f *Folder) Verdict(experimentID string, v *record.Verdict) error {
	return f.log.add(verdict, verdictBody{Experiment: experimentID, Verdict: v})
}

// Finish writes the last event with the run's conclusions, samples.parquet and, if the run is complete, the manifest. A
// folder without a manifest is an incomplete run, which --resume continues. why is the reason why it is incomplete
// ("interrupted"). Write report.html before, because the manifest lists every file.
func (f *Folder) Finish(r *record.Run, why string) error {
	end := endBody{Complete: r.Complete, Why: why, Goals: append([]record.Goal{}, r.Goals...),
		Sentence: r.Sentence, Shortened: r.Shortened, FollowUp: r.FollowUp}
	if err := f.log.add(runEnded, end); err != nil {
		return err
	}
	if err := f.log.sync(); err != nil {
		return err
	}
	if err := f.WriteSamples(r.Version); err != nil {
		return err
	}
	if !r.Complete {
		return nil
	}
	return f.WriteManifest(r)
}
