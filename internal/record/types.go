package record

import (
	"time"
)

// PartsFile is the text of a file with the user's own parts. Together with the fabric's text it is enough to make the
// plan again.
type PartsFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Run has everything that one execution of experiments measured and concluded. Every report is made from it, and it is
// the body of the manifest.
type Run struct {
	Schema      string        `json:"schema"` // linerate/run/2
	ID          string        `json:"id"`     // four letters
	Version     string        `json:"version"`
	Arguments   []string      `json:"arguments"`
	Started     time.Time     `json:"started"`
	Ended       time.Time     `json:"ended,omitzero"`
	Complete    bool          `json:"complete"`
	Fabric      string        `json:"fabric"`      // its name
	FabricPath  string        `json:"fabric_path"` // as given on the command line
	FabricText  string        `json:"fabric_text"`
	Parts       []PartsFile   `json:"parts,omitempty"` // the user's own parts, later files override earlier ones
	Variant     string        `json:"variant,omitempty"`
	Variants    []string      `json:"variants,omitempty"` // measured in the same run, besides Variant
	Schedule    *Schedule     `json:"schedule,omitempty"`
	FollowUp    *FollowUp     `json:"follow_up,omitempty"` // nil: verdicts were not followed up
	Plan        Picture       `json:"plan"`
	Lab         *Lab          `json:"lab,omitempty"`
	Experiments []*Experiment `json:"experiments"`
	Goals       []Goal        `json:"goals"`
	Comparisons []Comparison  `json:"comparisons,omitempty"` // of variants measured in this run
	Costs       []Cost        `json:"costs,omitempty"`       // where MTU or message size varies
	Instrument  *Instrument   `json:"instrument,omitempty"`  // of the machine that ran the controller
	Evidence    *EvidenceCost `json:"evidence,omitempty"`    // CPU time of the snapshots
	Hosts       []HostState   `json:"hosts"`
	Problems    []Problem     `json:"problems,omitempty"`
	// Findings are the results of linerate check on the hosts before the measurement. Unchecked is what it could not
	// check.
	Findings  []Finding `json:"findings,omitempty"`
	Unchecked []Unknown `json:"unchecked,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Notes     []Note    `json:"notes,omitempty"`
	Shortened []string  `json:"shortened,omitempty"` // "line-rate: 10 s intervals shortened to 1 s"
	Sentence  string    `json:"sentence"`            // the answer in one sentence
	// SlowNode is the host that all slow paths have in common; nil: there is none.
	SlowNode *SlowNode `json:"slow_node,omitempty"`
	// Highlights are in the JSON of report, never in the run folder.
	Highlights []Highlight `json:"key_findings,omitempty"`
	Files      []File      `json:"files,omitempty"`
}

// Note is a sentence about some figures of a run that every reader must know.
type Note struct {
	About string `json:"about"` // "RDMA", "storage"
	Text  string `json:"text"`
}

// HostState is the part of a host in a run.
type HostState struct {
	Name       string    `json:"name"`
	Connection string    `json:"connect"`
	OS         string    `json:"os"`
	Kernel     string    `json:"kernel"`
	CPU        string    `json:"cpu"`
	Cores      int       `json:"cores"`
	Error      string    `json:"error,omitempty"` // why it could not be used
	Unknown    []Unknown `json:"unknown,omitempty"`
	Settings   []Setting `json:"settings,omitempty"`
}

// Setting is a setting as requested and as in effect.
type Setting struct {
	Subject string `json:"subject"`
	Want    string `json:"want"`
	Have    string `json:"have"`
}

// Goal is a goal of the fabric file and the measured value.
type Goal struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Have string `json:"have"`
	Met  *bool  `json:"met"`           // null: not known
	Why  string `json:"why,omitempty"` // why it is not known, or where it was missed
	// NotHere reports whether the goal is about real parts, so that no repeat in this lab can check it.
	NotHere bool `json:"not_here,omitempty"`
}

// File is a file of the run folder.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}
