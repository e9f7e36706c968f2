package record

// Halo has the figures of a halo exchange in a repeat.
type Halo struct {
	Processes int    `json:"processes"`
	Columns   int    `json:"columns"` // of the torus of processes
	Rows      int    `json:"rows"`
	Tile      int    `json:"tile"` // words of 4 bytes in a message
	Exchange  string `json:"exchange"`
	Transport string `json:"transport"`         // tcp, rdma or mpi
	Library   string `json:"library,omitempty"` // of MPI, with its version
	Link      string `json:"link,omitempty"`    // of RDMA: ib, rocev1, rocev2 or iwarp
	Soft      bool   `json:"soft,omitempty"`    // the kernel does the work of a NIC
	Wait      string `json:"wait"`              // how a process waits for its halo: blocking or polling
	// Seconds is the time of an exchange on the slowest process. It is the time from the end of the first exchange of the
	// interval to the end of the last, divided by the number of exchanges less one.
	Seconds   float64    `json:"seconds"`
	Exchanges int64      `json:"exchanges"`         // by that process, ended in the interval
	Remote    int        `json:"neighbours_remote"` // of the 4 neighbours of each process: on another host
	Local     int        `json:"neighbours_local"`  // on the same host, through memory
	Self      int        `json:"neighbours_self"`   // the process itself, where the torus is one process wide or high
	Checked   int64      `json:"words_checked"`     // in the first exchange; a wrong word fails the repeat
	Skew      float64    `json:"release_skew"`      // seconds from the first process that leaves the barrier to the last
	Crowded   []string   `json:"crowded,omitempty"` // hosts on a machine with fewer cores than processes
	Hosts     []HaloHost `json:"hosts"`
	Ranks     []HaloRank `json:"ranks"`
}

// HaloHost has the processes of one host.
type HaloHost struct {
	Host    string `json:"host"`
	Address string `json:"address"`
	Device  string `json:"device,omitempty"` // of RDMA
	Ranks   int    `json:"ranks"`
}

// HaloRank is one process.
type HaloRank struct {
	Rank       int         `json:"rank"`
	Host       string      `json:"host"`
	Core       int         `json:"core"`   // -1: not pinned
	Remote     int         `json:"remote"` // number of its four neighbours
	Exchanges  int64       `json:"exchanges"`
	Seconds    float64     `json:"seconds"` // mean time of an exchange
	RTTSamples *RTTSamples `json:"trips,omitempty"`
}
