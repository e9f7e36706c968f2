package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"linerate/internal/record/runfolder"
)

// schemaName is the file beside a fabric file that its first line leads editors to. It is a file and no address: an editor finds it
// without a network, and it is of the version that wrote the fabric file.
const schemaName = "fabric.schema.json"

// schemaLine is what editors with the YAML language server read: https://github.com/redhat-developer/yaml-language-server#using-inlined-schema
const schemaLine = "# yaml-language-server: $schema=" + schemaName + "\n"

// withSchema is the text of a fabric file with that line, if the schema could be put beside the file. One of an older version is
// replaced, and a file of that name that is something else is left alone: then the text stays as it is.
func withSchema(file string, text []byte) []byte {
	name := filepath.Join(filepath.Dir(file), schemaName)
	if have, err := os.ReadFile(name); err == nil {
		var head struct {
			ID string `json:"$id"`
		}
		if json.Unmarshal(have, &head) != nil || head.ID != fabricSchemaID {
			return text
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return text
	}
	b, err := json.MarshalIndent(fabricSchema(), "", "  ")
	if err != nil {
		return text
	}
	if err := runfolder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(append(b, '\n')); return err }); err != nil {
		return text // a help for editors, and the fabric file is whole without it
	}
	return append([]byte(schemaLine), text...)
}
