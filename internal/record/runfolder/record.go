package runfolder

import (
	"linerate/internal/record"
	"slices"
)

// Started records what the run is of: everything of the Run but its experiments.
// It sets the run's schema and id. It is the first event of a folder; a run
// folder without it cannot be read.
func (f *Folder) Started(r *record.Run) error {
	r.Schema, r.ID = record.RunSchema, f.ID
	head := *r
	head.Experiments, head.Files = nil, nil
	if err := f.log.add(runStarted, startBody{Schema: record.JournalSchema, Run: &head}); err != nil {
		return err
	}
	return f.log.sync() // once, so that a run that was begun can always be found
}

// Experiment records an experiment as it is known now: planned, with NotRun or
// Failed, or with its estimates. The last record of an id counts; repeats are recorded
// by Repeat alone.
func (f *Folder) Experiment(e *record.Experiment) error {
	bare := *e
	bare.Repeats, bare.Chase = nil, nil // they have events of their own
	return f.log.add(experiment, &bare)
}

// Repeat records a finished repeat of the experiment with the id.
func (f *Folder) Repeat(experimentID string, r record.Repeat) error {
	return f.log.add(repeatDone, repeatBody{Experiment: experimentID, Repeat: r})
}

// samplesOfEvent keeps an event far below the longest that is read again: some 50 bytes a sample.
const samplesOfEvent = 100_000

// Samples records a batch of samples; they become samples.parquet at the end.
func (f *Folder) Samples(batch []record.Sample) error {
	for part := range slices.Chunk(batch, samplesOfEvent) {
		if err := f.log.add(samples, samplesBody{Series: bundle(part)}); err != nil {
			return err
		}
	}
	return nil
}

// Host records how a host takes part; the last record of a name counts.
func (f *Folder) Host(h record.HostState) error { return f.log.add(host, h) }

// Warning records a warning about the run as a whole.
func (f *Folder) Warning(text string) error { return f.log.add(warning, textBody{text}) }

// Verdict records the verdict of the experiment with the id.
func (f *Folder) Verdict(experimentID string, v *record.Verdict) error {
	return f.log.add(verdict, verdictBody{Experiment: experimentID, Verdict: v})
}

// Finish ends the run on disk: the last event with the run's conclusions, then
// samples.parquet, and, if the run is complete, the manifest; without one, a folder is
// an incomplete run, which --resume continues. why says why it is not complete
// ("interrupted"). Write report.html before: the manifest names every file.
func (f *Folder) Finish(r *record.Run, why string) error {
	end := endBody{Complete: r.Complete, Why: why, Goals: append([]record.Goal{}, r.Goals...), Sentence: r.Sentence, Shortened: r.Shortened, Chase: r.Chase}
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
