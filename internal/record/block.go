package record

// MethodBlock is the method that reads and writes blocks of storage.
const MethodBlock = "block"

// Block is what one repeat of the method block did: all workers together, in the window that all of them share.
type Block struct {
	Read    *BlockCount   `json:"read"`  // nil: none were asked for
	Write   *BlockCount   `json:"write"` // the same
	Depth   float64       `json:"depth"` // requests under way on average, of all workers
	Workers []BlockWorker `json:"workers"`
	Hosts   []BlockHost   `json:"hosts"`           // the workers' and those of the storage
	Start   *BlockStart   `json:"start,omitempty"` // of several workers; nil: there is one, or it is not known
	// SharedSeconds is the part of the window that all workers share, where they did not end together (amounts, the steady state): IOPS and bytes a second are of it,
	// operations, bytes and latencies of all. 0: the window itself.
	SharedSeconds float64 `json:"shared_seconds,omitempty"`
	// Steady is the rule of the steady state, held against all workers' IOPS (for blocks below 64 KiB) or bytes.
	Steady *Steady `json:"steady"`
	// PerPercent is work for each percent of the whole processor: of the hosts that ask, and of those that have the storage; nil: not known, or there are none.
	PerPercentAsking  *WorkPerPercent `json:"per_percent_asking"`
	PerPercentStoring *WorkPerPercent `json:"per_percent_storing"`
}

// BlockStart is how far apart the workers' first requests went out.
type BlockStart struct {
	Spread float64 `json:"spread"` // seconds from the first worker's to the last one's
	Within float64 `json:"within"` // seconds by which that may be wrong: how well the hosts' clocks are known; 0: they are one clock
	Host   string  `json:"host"`   // of the last one
}

// BlockCount is the reads or the writes of a window.
type BlockCount struct {
	Operations     int64   `json:"operations"`
	Bytes          int64   `json:"bytes"`
	IOPS           float64 `json:"iops"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	Histogram      string  `json:"histogram,omitempty"` // of the times from request to completion, as Latency has it
}

// BlockWorker is one host that asks, and what it asked.
type BlockWorker struct {
	Host       string   `json:"host"`
	Target     string   `json:"target"`           // as this host calls it
	Of         string   `json:"of,omitempty"`     // the drive or volume, as the fabric names it
	Load       string   `json:"load,omitempty"`   // of several that its host has at once
	Kind       string   `json:"kind"`             // file, folder, device, nvme-tcp
	Path       string   `json:"path"`             // of the file that was used
	Size       int64    `json:"size"`             // bytes of the target
	Span       int64    `json:"span"`             // of these that were used
	Sector     int64    `json:"sector,omitempty"` // bytes to which requests are aligned; 0: any
	Way        string   `json:"way"`              // ring, threads, overlapped, nvme-tcp
	Why        string   `json:"why,omitempty"`
	Cache      string   `json:"cache"`            // what was done about the system's cache
	Direct     *bool    `json:"direct"`           // around it; nil: not known
	Source     string   `json:"source,omitempty"` // what is mounted there: a device, a share
	Found      []string `json:"found,omitempty"`  // tables and file systems on a device
	FileSystem string   `json:"file_system,omitempty"`
	Devices    []string `json:"devices"`           // whose counters belong to it; empty: not known
	Created    bool     `json:"created,omitempty"` // the file was made for this, and removed
	Batch      float64  `json:"batch,omitempty"`   // completions that shared one reading of the clock, on average
	Making     float64  `json:"making,omitempty"`  // its threads that were making the data of writes, on average
	Read       int64    `json:"read_operations"`
	Write      int64    `json:"write_operations"`
	// FirstSeconds is when its first request went out, after the moment at which all were to begin, on the controller's clock; nil: not known.
	FirstSeconds *float64 `json:"first_seconds,omitempty"`
	// LastSeconds is when its last request of the window ended, LostSeconds when it stopped because of an error, after the window's opening.
	LastSeconds float64        `json:"last_seconds"`
	LostSeconds *float64       `json:"lost_seconds,omitempty"`
	FinalSync   *float64       `json:"final_sync,omitempty"` // seconds that the last sync took; nil: there was none
	Errors      []BlockError   `json:"errors,omitempty"`     // the first ones
	ErrorCount  int64          `json:"error_count,omitempty"`
	Hanging     int64          `json:"hanging,omitempty"` // requests that did not come back in time
	Verified    *BlockVerified `json:"verified,omitempty"`
	Export      *BlockExport   `json:"export,omitempty"` // nil: the host saw it by itself
}

// BlockExport is how storage that was given out for a run got from its own host to the one that asks.
type BlockExport struct {
	Protocol string `json:"protocol"` // iscsi, nbd, nvme-tcp, nfs, smb
	At       string `json:"at"`       // address of the server
	Server   string `json:"server"`   // what it is, with its version
	Client   string `json:"client"`
	Kernel   bool   `json:"kernel"` // both are of the systems' kernels; else they are programs: a software initiator, in user space
	// Instead is the protocol that it stands for, because of what the hosts lack for that; empty: for itself.
	Instead string `json:"instead,omitempty"`
	Because string `json:"because,omitempty"`
}

// BlockError is a request that failed.
type BlockError struct {
	Op      string  `json:"op"` // read, write, sync, verify
	Offset  int64   `json:"offset"`
	Errno   int     `json:"errno,omitempty"`
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"` // after the window's opening
}

// BlockVerified is what was compared, in blocks. What is in none of Right and Wrong was not compared with anything.
type BlockVerified struct {
	Right       int64        `json:"right"`
	Wrong       int64        `json:"wrong"`
	Unknown     int64        `json:"unknown"` // nobody knows what was to be there
	ReadBack    int64        `json:"read_back"`
	NotReadBack int64        `json:"not_read_back"` // written and not read since
	Blocks      []WrongBlock `json:"blocks,omitempty"`
}

// WrongBlock is one that is not what was written.
type WrongBlock struct {
	Offset  int64   `json:"offset"`
	Kind    string  `json:"kind"`
	Text    string  `json:"text"`    // what stood there
	Seconds float64 `json:"seconds"` // after the window's opening
}

// BlockHost is what a host did in the window.
type BlockHost struct {
	Host    string       `json:"host"`
	Asks    bool         `json:"asks"`             // a worker is on it
	Stores  bool         `json:"stores,omitempty"` // the storage is on it
	Seconds float64      `json:"seconds"`          // that it was watched
	Cores   *float64     `json:"cores"`            // in use, whatever for; nil: not known, as all below
	Of      int          `json:"of"`               // cores that it has
	Own     *float64     `json:"own"`              // of these the measuring process, io_uring's workers included
	Kernel  *float64     `json:"kernel"`           // and the kernel's threads
	Drives  []DriveCount `json:"drives,omitempty"`
	// AllDrives says that Drives are all of the host, because nobody knows which of them have the storage. Else one of them may be made of another.
	AllDrives bool `json:"all_drives,omitempty"`
	// Processes are those of a lab's host that has storage: it shares its cores with all others, and these are what it does itself.
	Processes []ProcessCount `json:"processes,omitempty"`

	Interface string `json:"interface,omitempty"`
	Received  *int64 `json:"received_bytes,omitempty"`
	Sent      *int64 `json:"sent_bytes,omitempty"`
}

// ProcessCount is what the processes of one name did in the window, of those of a host's network namespace.
type ProcessCount struct {
	Name         string  `json:"name"`
	Count        int     `json:"count"`
	Cores        float64 `json:"cores"`         // in use
	ReadBytes    *int64  `json:"read_bytes"`    // asked for in system calls, sockets included where they are read as files are; nil: not known
	WrittenBytes *int64  `json:"written_bytes"` // the same
}

// DriveCount is by how much the counters of a block device grew in the window.
type DriveCount struct {
	Name         string  `json:"name"`
	Reads        int64   `json:"reads"`
	ReadBytes    int64   `json:"read_bytes"`
	Writes       int64   `json:"writes"`
	WrittenBytes int64   `json:"written_bytes"`
	Busy         float64 `json:"busy"` // share of the time in which it had something to do
	// MadeOf are the devices right below it, whose counters have the same bytes again: the members of an array, the disk of a partition. Nil: not known.
	MadeOf []string `json:"made_of"`
}

// Tops are those drives of a list of which no other one is made: their bytes are all that were moved, each once. Nil: what is made of what is not known.
func Tops(drives []DriveCount) []DriveCount {
	if len(drives) < 2 {
		return drives
	}
	below := map[string]bool{}
	for _, d := range drives {
		if d.MadeOf == nil {
			return nil
		}
		for _, name := range d.MadeOf {
			below[name] = true
		}
	}
	var out []DriveCount
	for _, d := range drives {
		if !below[d.Name] {
			out = append(out, d)
		}
	}
	return out
}

// Steady is the rule of the steady state: over the last slices the largest less the smallest at most 20 % of their mean, and the least-squares line's rise over
// them at most 10 % of it (the rule of the SNIA performance test specification for solid state storage, on slices of time).
type Steady struct {
	Is      bool    `json:"is"`
	Slices  int     `json:"slices"`
	Seconds float64 `json:"seconds"` // that the slices are together
	Range   float64 `json:"range"`   // share of the mean
	Slope   float64 `json:"slope"`   // share of the mean
	Why     string  `json:"why,omitempty"`
}

// WorkPerPercent is work over processor as figures of initiators and targets are published: for each percent of all cores of those hosts.
type WorkPerPercent struct {
	Percent        float64 `json:"percent"` // of all cores
	IOPS           float64 `json:"iops"`
	BytesPerSecond float64 `json:"bytes_per_second"`
}
