package record

// MethodCopy is the method that copies files as a person does.
const MethodCopy = "copy"

// Copy is what one repeat of the method copy did.
type Copy struct {
	Over string `json:"over"`          // path, ssh, smb, http, ftp
	Tool string `json:"tool"`          // cp, robocopy, smbclient, curl, own, scp, sftp, rsync
	Why  string `json:"why,omitempty"` // this tool and no other
	// Command is that of the first stream, without what is secret; empty: linerate copied itself.
	Command string `json:"command,omitempty"`
	Server  string `json:"server,omitempty"` // what gives the other end out
	On      string `json:"on"`               // host that the tool runs on
	Bytes   int64  `json:"bytes"`            // of all files that were copied
	Files   int    `json:"files"`
	// Legs are the directions: one, or with both two at once.
	Legs    []CopyLeg    `json:"legs"`
	Threads []CopyThread `json:"threads,omitempty"` // of the tools, most processor time first
	Hosts   []BlockHost  `json:"hosts"`             // asks: the tool runs there
}

// CopyLeg is the copy of one direction.
type CopyLeg struct {
	From     CopyPlace    `json:"from"`
	To       CopyPlace    `json:"to"`
	Bytes    int64        `json:"bytes"`
	Files    int          `json:"files"`
	Seconds  float64      `json:"seconds"` // from the start to the end of the last stream, and the sync
	Sync     *float64     `json:"sync"`    // seconds of these; nil: not known
	SyncWhy  string       `json:"sync_why,omitempty"`
	Cache    string       `json:"cache"`    // what is in effect of the source's
	Cold     *bool        `json:"cold"`     // nothing of the source was in its host's cache; nil: not known
	Verified bool         `json:"verified"` // sizes and checksums are those of the source
	Streams  []CopyStream `json:"streams"`
}

// CopyPlace is an end of a copy.
type CopyPlace struct {
	Host       string   `json:"host"`
	Path       string   `json:"path"` // that was named
	FileSystem string   `json:"file_system,omitempty"`
	Source     string   `json:"source,omitempty"` // what is mounted there
	Devices    []string `json:"devices,omitempty"`
}

// CopyStream is one of several copies at once.
type CopyStream struct {
	Seconds float64 `json:"seconds"`
	Said    string  `json:"said,omitempty"` // the last lines of the tool
}

// CopyThread is what a thread of a tool used of the processors.
type CopyThread struct {
	Name    string  `json:"name"`
	CPU     float64 `json:"cpu"`     // seconds of processor
	Seconds float64 `json:"seconds"` // that it was there for
}
