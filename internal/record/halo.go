package record

// MethodHalo is the method whose record has a Halo.
const MethodHalo = "halo"

// Halo is what is of a halo exchange alone in a repeat.
type Halo struct {
	Processes int    `json:"processes"`
	Columns   int    `json:"columns"` // of the torus of processes
	Rows      int    `json:"rows"`
	Tile      int    `json:"tile"` // words of 4 bytes in a message
	Exchange  string `json:"exchange"`
	Transport string `json:"transport"`         // tcp, rdma or mpi
	Library   string `json:"library,omitempty"` // over MPI: the library with its version, as it calls itself
	Link      string `json:"link,omitempty"`    // over RDMA: ib, rocev1, rocev2 or iwarp
	Soft      bool   `json:"soft,omitempty"`    // the kernel does what a card would
	Wait      string `json:"wait"`              // how a process waits for its halo: blocking or polling
	// Seconds is the time of an exchange: between the ends of the first and the last exchange of the window, divided by their number
	// less one, of the process with which that is longest.
	Seconds   float64    `json:"seconds"`
	Exchanges int64      `json:"exchanges"`         // that ended in the window, of that process
	Remote    int        `json:"neighbours_remote"` // of all 4 x processes: on another host,
	Local     int        `json:"neighbours_local"`  // on the same host, through memory,
	Self      int        `json:"neighbours_self"`   // and the process itself, where the torus is one wide or high
	Checked   int64      `json:"words_checked"`     // of the first exchange; each was the neighbour's, or the repeat failed
	Skew      float64    `json:"release_skew"`      // seconds from the first process that left the barrier to the last, with the doubt of the clocks in it
	Crowded   []string   `json:"crowded,omitempty"` // hosts whose machine has fewer cores than processes
	Hosts     []HaloHost `json:"hosts"`
	Ranks     []HaloRank `json:"ranks"`
}

// HaloHost is the processes of one host.
type HaloHost struct {
	Host    string `json:"host"`
	Address string `json:"address"`
	Device  string `json:"device,omitempty"` // of RDMA
	Ranks   int    `json:"ranks"`
}

// HaloRank is one process.
type HaloRank struct {
	Rank      int     `json:"rank"`
	Host      string  `json:"host"`
	Core      int     `json:"core"`   // -1: not pinned
	Remote    int     `json:"remote"` // of its four neighbours
	Exchanges int64   `json:"exchanges"`
	Seconds   float64 `json:"seconds"` // mean of an exchange
	Trips     *Trips  `json:"trips,omitempty"`
}
