package facts

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Drive is a disk of a machine, whatever it hangs on.
type Drive struct {
	Name      string // "nvme0n1"
	Model     string // empty: it has none, or it is not known
	Transport string // "nvme", "sata", "sas", "iscsi", "usb"; empty: not known, or of a virtual machine
	Size      unit.Opt[unit.Bytes]
	Rotates   unit.Opt[bool]
}

// lsblkAsked is how lsblk is asked: its columns differ by release, and without -b its sizes are rounded.
const lsblkAsked = "lsblk -J -b -o NAME,TYPE,SIZE,ROTA,TRAN,MODEL"

// blockDevice is a device of lsblk's JSON. rota is a word in releases before 2.33.
type blockDevice struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	Model string          `json:"model"`
	Tran  string          `json:"tran"`
	Size  json.RawMessage `json:"size"`
	Rota  json.RawMessage `json:"rota"`
}

// parseLsblk reads the JSON of lsblk (-J), whatever the columns. A size with a unit is unknown: it is rounded. Parts, arrays and loops of
// it are left out. Of the form in columns the names of disks are read, if its head names the columns.
// Format: util-linux, lsblk(8). The captures behind the JSON are of guests and of this program's own machine, those behind the columns of two servers.
func parseLsblk(text []byte) ([]Drive, error) {
	var tree struct {
		Devices []blockDevice `json:"blockdevices"`
	}
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return lsblkColumns(string(text))
	}
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, toolError(text)
	}
	drives := []Drive{}
	for _, b := range tree.Devices {
		if b.Type != "disk" || strings.HasPrefix(b.Name, "zram") || strings.HasPrefix(b.Name, "ram") {
			continue
		}
		d := Drive{Name: b.Name, Model: oneLine(b.Model), Transport: b.Tran, Size: unit.Unknown[unit.Bytes]("lsblk was not asked for bytes (-b)"), Rotates: unit.Unknown[bool]("lsblk was not asked for it (ROTA)")}
		if n, err := strconv.ParseInt(strings.Trim(string(b.Size), `"`), 10, 64); err == nil && n > 0 {
			d.Size = known(unit.Bytes(n))
		}
		switch strings.Trim(string(b.Rota), `"`) {
		case "true", "1":
			d.Rotates = known(true)
		case "false", "0":
			d.Rotates = known(false)
		}
		drives = append(drives, d)
	}
	return drives, nil
}

// lsblkColumns reads the disks of a table whose head has NAME first, and TYPE. What stands in a column of its own before TYPE has no blanks;
// sizes are rounded, so that they are unknown.
func lsblkColumns(text string) ([]Drive, error) {
	var drives []Drive
	at := -1
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case at < 0 && len(fields) > 1 && fields[0] == "NAME":
			at = slices.Index(fields, "TYPE")
			drives = []Drive{}
		case at > 0 && at < len(fields) && fields[at] == "disk" && !strings.HasPrefix(fields[0], "zram"):
			drives = append(drives, Drive{Name: fields[0], Size: unit.Unknown[unit.Bytes]("lsblk was not asked for bytes (-b)"), Rotates: unit.Unknown[bool]("lsblk was not asked for it (ROTA)")})
		}
	}
	if at < 0 {
		return nil, toolError([]byte(text))
	}
	return drives, nil
}
