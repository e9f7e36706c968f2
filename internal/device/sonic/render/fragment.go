package render

import (
	"encoding/json"
	"strings"

	"linerate/internal/device/config"
)

// table is one table of config_db.json: rows by their key, each with its fields.
type table struct {
	name string
	rows map[string]map[string]string
	why  string
	by   config.Source
}

// fragment writes tables as a file that `config load` merges into the running configuration. Keys are sorted by bytes,
// so that two renderings are equal.
func fragment(tables []table) (config.File, error) {
	f := config.File{Name: "qos.json"}
	f.Form("{")
	for i, t := range tables {
		b, err := json.MarshalIndent(t.rows, "    ", "    ")
		if err != nil {
			return f, err
		}
		end := ","
		if i == len(tables)-1 {
			end = ""
		}
		name, err := json.Marshal(t.name)
		if err != nil {
			return f, err
		}
		for _, line := range strings.Split("    "+string(name)+": "+string(b)+end, "\n") {
			f.Add(t.by, t.why, line)
		}
	}
	f.Form("}")
	return f, nil
}
