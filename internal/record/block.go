package record

import "linerate/internal/base/xslices"

// Block is one repeat of the method storage: the sum over all workers, in the interval that they share.
type Block struct {
	Read    *BlockCount   `json:"read"`  // nil: no reads were asked for
	Write   *BlockCount   `json:"write"` // nil: no writes were asked for
	Depth   float64       `json:"depth"` // mean number of requests in flight, of all workers
	Workers []BlockWorker `json:"workers"`
	Hosts   []BlockHost   `json:"hosts"`           // of the workers and of the storage
	Start   *BlockStart   `json:"start,omitempty"` // nil: there is one worker, or it is not known
	// SharedSeconds is the part of the interval in which all workers ran, where they did not end together (amounts, steady
	// state). IOPS and bytes per second are of this part, everything else is of the whole interval. 0: they ended
	// together.
	SharedSeconds float64 `json:"shared_seconds,omitempty"`
	// Steady applies the steady-state rule to the IOPS (blocks below 64 KiB) or the bytes of all workers.
	Steady *Steady `json:"steady"`
	// PerPercentAsking is the work per percent of CPU on the clients, PerPercentStoring that on the hosts with the
	// storage; nil: not known, or there are none.
	PerPercentAsking  *WorkPerPercent `json:"per_percent_asking"`
	PerPercentStoring *WorkPerPercent `json:"per_percent_storing"`
}

// BlockStart is the spread of the times at which the workers sent their first requests.
type BlockStart struct {
	Spread float64 `json:"spread"` // seconds between the first worker and the last
	Within float64 `json:"within"` // seconds of uncertainty, from the hosts' clocks; 0: all workers share one clock
	Host   string  `json:"host"`   // of the last worker
}

// BlockCount is the reads or the writes of an interval.
type BlockCount struct {
	Operations     int64   `json:"operations"`
	Bytes          int64   `json:"bytes"`
	IOPS           float64 `json:"iops"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	Histogram      string  `json:"histogram,omitempty"` // of the times from request to completion, encoded as in Latency
}

// BlockWorker is a client of the storage and its requests.
type BlockWorker struct {
	Host       string   `json:"host"`
	Target     string   `json:"target"`           // by its name on this host
	Of         string   `json:"of,omitempty"`     // the drive or volume, as the fabric names it
	Load       string   `json:"load,omitempty"`   // the load's name, where its host runs several at once
	Kind       string   `json:"kind"`             // file, folder, device, nvme-tcp
	Path       string   `json:"path"`             // of the file
	Size       int64    `json:"size"`             // bytes of the target
	Span       int64    `json:"span"`             // bytes of it in use
	Sector     int64    `json:"sector,omitempty"` // alignment of requests, in bytes; 0: any
	Way        string   `json:"way"`              // the I/O engine: ring, threads, overlapped, nvme-tcp
	Why        string   `json:"why,omitempty"`
	Cache      string   `json:"cache"`            // how the system's cache is treated
	Direct     *bool    `json:"direct"`           // bypasses the cache; nil: not known
	Source     string   `json:"source,omitempty"` // the mounted device or share
	Found      []string `json:"found,omitempty"`  // partition tables and file systems on a device
	FileSystem string   `json:"file_system,omitempty"`
	Devices    []string `json:"devices"`           // whose counters are those of the target; empty: not known
	Created    bool     `json:"created,omitempty"` // the file was made for this experiment, and removed
	Batch      float64  `json:"batch,omitempty"`   // mean number of completions per clock reading
	Making     float64  `json:"making,omitempty"`  // mean number of its threads that were generating data to write
	Read       int64    `json:"read_operations"`
	Write      int64    `json:"write_operations"`
	// FirstSeconds is the delay of its first request after the planned common start, on the controller's clock; nil: not
	// known.
	FirstSeconds *float64 `json:"first_seconds,omitempty"`
	// LastSeconds is the end of its last request in the interval, LostSeconds the time at which an error stopped it. Both
	// count from the start of the interval.
	LastSeconds float64        `json:"last_seconds"`
	LostSeconds *float64       `json:"lost_seconds,omitempty"`
	FinalSync   *float64       `json:"final_sync,omitempty"` // seconds of the last sync; nil: there was none
	Errors      []BlockError   `json:"errors,omitempty"`     // the first ones
	ErrorCount  int64          `json:"error_count,omitempty"`
	Hanging     int64          `json:"hanging,omitempty"` // requests that did not complete in time
	Verified    *BlockVerified `json:"verified,omitempty"`
	Export      *BlockExport   `json:"export,omitempty"` // nil: the host has the storage itself
}

// BlockExport is how storage that was exported for a run reaches its client.
type BlockExport struct {
	Protocol string `json:"protocol"` // iscsi, nbd, nvme-tcp, nfs, smb
	At       string `json:"at"`       // address of the server
	Server   string `json:"server"`   // program and version
	Client   string `json:"client"`
	Kernel   bool   `json:"kernel"` // server and client are in the kernel; else one of them is in user space
	// Instead is the protocol that the hosts cannot use and this one replaces; empty: none.
	Instead string `json:"instead,omitempty"`
	Because string `json:"because,omitempty"`
}

// BlockError is a request that failed.
type BlockError struct {
	Op      string  `json:"op"` // read, write, sync, verify
	Offset  int64   `json:"offset"`
	Errno   int     `json:"errno,omitempty"`
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"` // after the start of the interval
}

// BlockVerified counts compared blocks. The content of a block that is in neither Right nor Wrong was not compared.
type BlockVerified struct {
	Right       int64        `json:"right"`
	Wrong       int64        `json:"wrong"`
	Unknown     int64        `json:"unknown"` // the expected content is not known
	ReadBack    int64        `json:"read_back"`
	NotReadBack int64        `json:"not_read_back"` // written and not read since
	Blocks      []WrongBlock `json:"blocks,omitempty"`
}

// WrongBlock is a block whose content differs from what was written.
type WrongBlock struct {
	Offset  int64   `json:"offset"`
	Kind    string  `json:"kind"`
	Text    string  `json:"text"`    // the content that was read
	Seconds float64 `json:"seconds"` // after the start of the interval
}

// BlockHost is the work of a host in the interval.
type BlockHost struct {
	Host    string       `json:"host"`
	Asks    bool         `json:"asks"`             // a worker runs on it
	Stores  bool         `json:"stores,omitempty"` // it has the storage
	Seconds float64      `json:"seconds"`          // duration of the observation
	Cores   *float64     `json:"cores"`            // in use by any process; nil: not known, as all below
	Of      int          `json:"of"`               // number of cores
	Own     *float64     `json:"own"`              // cores used by the measuring process and its io_uring workers
	Kernel  *float64     `json:"kernel"`           // cores used by the kernel's threads
	Drives  []DriveCount `json:"drives,omitempty"`
	// AllDrives reports whether Drives has all drives of the host, because those of the storage are not known. Otherwise
	// one of Drives may be made of another.
	AllDrives bool `json:"all_drives,omitempty"`
	// Processes is the work of a lab host's own processes, where it has storage. All hosts of a lab share their cores.
	Processes []ProcessCount `json:"processes,omitempty"`

	Interface string `json:"interface,omitempty"`
	Received  *int64 `json:"received_bytes,omitempty"`
	Sent      *int64 `json:"sent_bytes,omitempty"`
}

// ProcessCount is the work of all processes with one name in a host's network namespace, in the interval.
type ProcessCount struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Cores float64 `json:"cores"` // in use
	// ReadBytes and WrittenBytes are counted at system calls, sockets included; nil: not known.
	ReadBytes    *int64 `json:"read_bytes"`
	WrittenBytes *int64 `json:"written_bytes"`
}

// DriveCount is the growth of the counters of a block device in the interval.
type DriveCount struct {
	Name         string  `json:"name"`
	Reads        int64   `json:"reads"`
	ReadBytes    int64   `json:"read_bytes"`
	Writes       int64   `json:"writes"`
	WrittenBytes int64   `json:"written_bytes"`
	Busy         float64 `json:"busy"` // share of the time with a request in flight
	// MadeOf are the devices directly below it, which count the same bytes again: the members of an array, the disk of a
	// partition; nil: not known.
	MadeOf []string `json:"made_of"`
}

// Tops returns the drives that no other drive of the list is made of, so that each byte is counted once. Nil: not
// known.
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
	return xslices.Filter(drives, func(d DriveCount) bool { return !below[d.Name] })
}

// Steady is the steady-state rule of the SNIA performance test specification for solid state storage, applied to slices
// of time. Over the last slices the range is at most 20 % of the mean, and the slope at most 10 %.
type Steady struct {
	Is      bool    `json:"is"`
	Slices  int     `json:"slices"`
	Seconds float64 `json:"seconds"` // of all slices together
	Range   float64 `json:"range"`   // share of the mean
	Slope   float64 `json:"slope"`   // share of the mean
	Why     string  `json:"why,omitempty"`
}

// WorkPerPercent is work per CPU time, in the form that is published for initiators and targets: per percent of all
// cores of those hosts.
type WorkPerPercent struct {
	Percent        float64 `json:"percent"` // of all cores
	IOPS           float64 `json:"iops"`
	BytesPerSecond float64 `json:"bytes_per_second"`
}
