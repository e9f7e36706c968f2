package record

// Next is the experiment that would tell what is left of a verdict apart.
type Next struct {
	// Change is what it has otherwise: a setting, or direction, by its name. Of a setting an empty value means without it.
	Change map[string]string `json:"change"`
	Why    string            `json:"why"` // what its outcomes would mean
}

// Chased marks an experiment that no file asked for: it was made to settle the verdict of another one.
type Chased struct {
	For  string `json:"for"`  // the id of that one
	Step int    `json:"step"` // which one of its chase, from 1
	Next
}

// Chase is how a run went on by itself after its verdicts.
type Chase struct {
	Limit   float64   `json:"limit_seconds"`
	Seconds float64   `json:"seconds"` // that it took
	Steps   int       `json:"steps"`
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a step that was not made.
type LeftOut struct {
	Experiment string `json:"experiment"`
	Next
	Because string `json:"because"`
}

// Experiment finds an experiment of the run, or one that was chased, by its id; nil: there is none.
func (r *Run) Experiment(id string) *Experiment {
	for _, e := range r.Experiments {
		if e.ID == id {
			return e
		}
		for _, x := range e.Chase {
			if x.ID == id {
				return x
			}
		}
	}
	return nil
}
