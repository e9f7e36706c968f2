package storage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// LsblkCommand lists the columns, which differ by release; without -b sizes are rounded.
const LsblkCommand = "lsblk -J -b -o NAME,TYPE,SIZE,ROTA,TRAN,MODEL"

// blockDevice is a device of lsblk's JSON. rota is a word in releases before 2.33.
type blockDevice struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	Model string          `json:"model"`
	Tran  string          `json:"tran"`
	Size  json.RawMessage `json:"size"`
	Rota  json.RawMessage `json:"rota"`
}

// parseLsblk reads the JSON of lsblk (-J) with any columns. A size with a unit is unknown, because it is rounded. It
// ignores partitions, arrays and loops. Of the form in columns it reads the names of disks, if the header names the
// columns. Format: util-linux, lsblk(8). Snapshots: the JSON of guests and a development machine, the columns of two
// servers.
func parseLsblk(text []byte) ([]facts.Drive, error) {
	var tree struct {
		Devices []blockDevice `json:"blockdevices"`
	}
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return lsblkColumns(string(text))
	}
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, parse.ToolError(text)
	}
	drives := []facts.Drive{}
	for _, b := range tree.Devices {
		if b.Type != "disk" || strings.HasPrefix(b.Name, "zram") || strings.HasPrefix(b.Name, "ram") {
			continue
		}
		d := facts.Drive{Name: b.Name, Model: facts.OneLine(b.Model), Transport: b.Tran,
			Size:    unit.Unknown[unit.Bytes]("lsblk was not asked for bytes (-b)"),
			Rotates: unit.Unknown[bool]("lsblk was not asked for it (ROTA)")}
		if n, err := strconv.ParseInt(strings.Trim(string(b.Size), `"`), 10, 64); err == nil && n > 0 {
			d.Size = unit.Known(unit.Bytes(n))
		}
		switch strings.Trim(string(b.Rota), `"`) {
		case "true", "1":
			d.Rotates = unit.Known(true)
		case "false", "0":
			d.Rotates = unit.Known(false)
		}
		drives = append(drives, d)
	}
	return drives, nil
}

// lsblkColumns reads the disks of a table whose header has NAME first, and TYPE. Columns before TYPE contain no blanks;
// sizes are rounded and therefore unknown.
func lsblkColumns(text string) ([]facts.Drive, error) {
	var drives []facts.Drive
	at := -1
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case at < 0 && len(fields) > 1 && fields[0] == "NAME":
			at = slices.Index(fields, "TYPE")
			drives = []facts.Drive{}
		case at > 0 && at < len(fields) && fields[at] == "disk" && !strings.HasPrefix(fields[0], "zram"):
			drives = append(drives, facts.Drive{Name: fields[0],
				Size:    unit.Unknown[unit.Bytes]("lsblk was not asked for bytes (-b)"),
				Rotates: unit.Unknown[bool]("lsblk was not asked for it (ROTA)")})
		}
	}
	if at < 0 {
		return nil, parse.ToolError([]byte(text))
	}
	return drives, nil
}
