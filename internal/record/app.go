package record

// OutputName is the folder of a run folder with what the commands of app printed.
const OutputName = "output"

// App is what one repeat of the method app ran and saw.
type App struct {
	Command []string `json:"command"`           // as it was started on the first host
	Server  []string `json:"server,omitempty"`  // on the second one
	Program string   `json:"program,omitempty"` // of the ready-made ones
	Figure  float64  `json:"figure"`
	Unit    string   `json:"unit,omitempty"`
	Line    string   `json:"line,omitempty"`     // of the output, in which the figure stands; empty: it is the time
	Output  string   `json:"output,omitempty"`   // name of the file in the run folder
	Left    int64    `json:"left_out,omitempty"` // bytes in the middle of the output that were not kept
	// OneMachine: all hosts are on one machine, and each says of it what the others say.
	OneMachine bool      `json:"one_machine,omitempty"`
	Hosts      []AppHost `json:"hosts"` // the first one runs the command
}

// AppHost is what a host did while the command ran.
type AppHost struct {
	Host      string   `json:"host"`
	Interface string   `json:"interface,omitempty"` // of the planned path; empty: none is planned, or it is not known
	Seconds   float64  `json:"seconds"`             // that it was watched
	Cores     *float64 `json:"cores"`               // in use on average, whatever for; nil: not known, as all below
	Received  *int64   `json:"received_bytes"`      // by the interface
	Sent      *int64   `json:"sent_bytes"`
	Errors    *int64   `json:"errors"`  // received and sent
	Dropped   *int64   `json:"dropped"` // received and sent
}
