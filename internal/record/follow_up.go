package record

// Next is the experiment that would tell apart the remaining causes of a verdict.
type Next struct {
	// Change is what differs: a setting by its name, or direction. An empty value removes the setting.
	Change map[string]string `json:"change"`
	Why    string            `json:"why"` // what its outcomes would mean
}

// FollowedUp marks an experiment that is not in the file. It was added to settle the verdict of another experiment.
type FollowedUp struct {
	For  string `json:"for"`  // the id of the other experiment
	Step int    `json:"step"` // its number in the follow-up, from 1
	Next
}

// FollowUp is what a run measured on its own after its first verdicts.
type FollowUp struct {
	Limit   float64   `json:"limit_seconds"`
	Seconds float64   `json:"seconds"` // duration
	Steps   int       `json:"steps"`
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a step that was omitted.
type LeftOut struct {
	Experiment string `json:"experiment"`
	Next
	Because string `json:"because"`
}

// Experiment returns the experiment of the run, or of a follow-up, with the id; nil: there is none.
func (r *Run) Experiment(id string) *Experiment {
	for _, e := range r.Experiments {
		if e.ID == id {
			return e
		}
		for _, x := range e.FollowUp {
			if x.ID == id {
				return x
			}
		}
	}
	return nil
}
