package explain

import "linerate/result"

// accountDrive holds the bytes that a drive moved against those on the wire, where data comes from a file or goes to one. No capture has the
// counters of drives (/proc/diskstats) yet, so that one side is not known.
func accountDrive(c *Case) []result.Account {
	file := c.Exp.Settings["source"]
	if file == "" && c.Exp.Bytes == nil {
		return nil
	}
	a := result.Account{Name: "drive", Unit: "bytes",
		Left:  result.Entry{What: "bytes moved by the drive", Host: c.Sender.Host, Source: "/proc/diskstats"},
		Right: result.Entry{What: "bytes on the wire", Host: c.Receiver.Host, Source: "goodput of all repeats", Value: ptr(c.windowBytes())}}
	open(&a, "the captures have no counters of drives; what the kernel had of the file in memory would not be in them either")
	return []result.Account{a}
}
