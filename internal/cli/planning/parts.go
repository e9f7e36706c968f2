package planning

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"linerate/docs"
	"linerate/internal/base/diag"
	"linerate/internal/base/jsonschema"
	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/design"
)

// SchemaName is the schema file next to a fabric file, which the first line of the fabric file names for editors. It is
// a file, not an address: an editor finds it without a network, and in the version of the fabric file.
const SchemaName = "fabric.schema.json"

// SchemaLine is a comment for editors with the YAML language server:
// https://github.com/redhat-developer/yaml-language-server#using-inlined-schema
const SchemaLine = "# yaml-language-server: $schema=" + SchemaName + "\n"

// WithSchema adds SchemaLine to the text of a fabric file, if the schema could be written next to the file. A schema of
// an older version is replaced. Another file of that name is left alone: then the text stays unchanged.
func WithSchema(file string, text []byte) []byte {
	name := filepath.Join(filepath.Dir(file), SchemaName)
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
	b, err := json.MarshalIndent(FabricSchema(), "", "  ")
	if err != nil {
		return text
	}
	if err := runfolder.WriteFile(name,
		func(w io.Writer) error { _, err := w.Write(append(b, '\n')); return err }); err != nil {
		return text // only editors need it
	}
	return append([]byte(SchemaLine), text...)
}

// fabricSchemaID is the $id of the schema of fabric files.
const fabricSchemaID = "urn:linerate:schema:fabric:1"

// FabricSchema is the schema of fabric files, with the descriptions of docs/fabric.md for each key.
func FabricSchema() jsonschema.Object {
	sections := map[string]string{"fabric": "the file", "subnet": "subnets", "host": "hosts", "nic": "nics",
		"bond": "bonds", "drive": "drives", "volume": "volumes", "profile": "profiles", "switch": "switches", "link": "links",
		"item": "cables and spares", "part": "parts", "class": "classes", "experiment": "experiments", "goal": "goals"}
	keys := docs.FabricKeys()
	return fabric.Schema(fabricSchemaID, func(entry, key string) string {
		section := sections[entry]
		if section == "" {
			section = entry // addressing, figure
		}
		k := keys[section][key]
		if k.What == "" {
			return ""
		}
		return strings.ReplaceAll(k.What, "`", "") + "\nExample: " + k.Example
	})
}

// ShowParts prints the part of that name, or what matches.
func ShowParts(e *cli.Env, entries *catalog.Catalog, word string, asJSON bool) error {
	found := entries.Search(word)
	p, wrong := entries.Find(word)
	if wrong == nil && word != "" {
		found = []*catalog.Part{p}
	}
	mentioned := false
	if len(found) == 0 {
		found, mentioned = entries.Mentions(word), true
	}
	if len(found) == 0 {
		return cli.Fail(cli.ExitInput, wrong)
	}
	switch {
	case asJSON:
		return e.PrintObject("parts", map[string]any{"parts": found})
	case mentioned:
		fmt.Fprintf(e.Out, "no part is called %q; it is spoken of under\n", cli.Clean(word))
	case len(found) == 1:
		return design.PrintPart(e.Terminal(), found[0], entries.Sources)
	}
	return design.PrintParts(e.Terminal(), found)
}

// CheckParts looks for errors in files of parts, as a catalogue has them.
func CheckParts(e *cli.Env, entries *catalog.Catalog, names []string, asJSON bool) error {
	problems := catalog.Problems{}
	for _, name := range names {
		f, err := catalog.ReadFile(name)
		if err != nil {
			return cli.Fail(cli.ExitInput, diag.Problems{diag.Unreadable(name, err)})
		}
		problems = append(problems, entries.Check(name, f.Text)...)
	}
	switch {
	case asJSON:
		if err := e.PrintObject("parts-check", map[string]any{"files": names, "problems": problems}); err != nil {
			return err
		}
	case len(problems) == 0:
		for _, name := range names {
			fmt.Fprintf(e.Out, "%s: no errors\n", name)
		}
	default:
		return cli.Fail(cli.ExitInput, problems)
	}
	if len(problems) > 0 {
		return cli.Fail(cli.ExitInput, nil)
	}
	return nil
}
