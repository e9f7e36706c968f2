package record

// Copy is one repeat of the method copy.
type Copy struct {
	Over string `json:"over"`          // path, ssh, smb, http, ftp
	Tool string `json:"tool"`          // cp, robocopy, smbclient, curl, own, scp, sftp, rsync
	Why  string `json:"why,omitempty"` // the reason for this tool
	// Command is the command of the first stream, without secrets; empty: linerate itself copied.
	Command string `json:"command,omitempty"`
	Server  string `json:"server,omitempty"` // the program at the other end
	On      string `json:"on"`               // host that the tool runs on
	Bytes   int64  `json:"bytes"`            // of all files
	Files   int    `json:"files"`
	// Legs has one entry a direction. Two directions run at once.
	Legs    []CopyLeg    `json:"legs"`
	Threads []CopyThread `json:"threads,omitempty"` // of the tools, most CPU time first
	Hosts   []BlockHost  `json:"hosts"`             // Asks is set where the tool runs
}

// CopyLeg is the copy of one direction.
type CopyLeg struct {
	From     CopyPlace    `json:"from"`
	To       CopyPlace    `json:"to"`
	Bytes    int64        `json:"bytes"`
	Files    int          `json:"files"`
	Seconds  float64      `json:"seconds"` // from the start to the end of the last stream, sync included
	Sync     *float64     `json:"sync"`    // seconds of the sync; nil: not known
	SyncWhy  string       `json:"sync_why,omitempty"`
	Cache    string       `json:"cache"`    // state of the source's cache
	Cold     *bool        `json:"cold"`     // the cache had nothing of the source; nil: not known
	Verified bool         `json:"verified"` // sizes and checksums equal the source's
	Streams  []CopyStream `json:"streams"`
}

// CopyPlace is one end of a copy.
type CopyPlace struct {
	Host       string   `json:"host"`
	Path       string   `json:"path"`
	FileSystem string   `json:"file_system,omitempty"`
	Source     string   `json:"source,omitempty"` // the mounted device or share
	Devices    []string `json:"devices,omitempty"`
}

// CopyStream is one of several concurrent copies.
type CopyStream struct {
	Seconds float64 `json:"seconds"`
	Said    string  `json:"said,omitempty"` // the last lines of the tool's output
}

// CopyThread is the CPU time of a thread of a tool.
type CopyThread struct {
	Name    string  `json:"name"`
	CPU     float64 `json:"cpu"`     // seconds of CPU time
	Seconds float64 `json:"seconds"` // lifetime of the thread
}
