package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// findsFabric marks verbs whose fabric file is looked for where none is named.
const findsFabric = "finds fabric"

// fabricVariable names the fabric file where a command line does not.
const fabricVariable = "LINERATE_FABRIC"

// withFabric are the words of a command line; where a verb takes a fabric file and none is named, that of the variable, else the fabric.yaml of this
// folder or the nearest one above.
func (e *env) withFabric(c *cobra.Command, args []string) []string {
	if c.Annotations[findsFabric] == "" || len(args) > 0 {
		return args
	}
	if wish := c.Flags().Lookup("suggest"); wish != nil && wish.Changed {
		return args
	}
	if found := e.fabricFound(); found != "" {
		return []string{found}
	}
	return args
}

// fabricFound is the file of the variable, else the fabric.yaml of this folder or the nearest one above; empty: there is none.
func (e *env) fabricFound() string {
	if name := e.getenv(fabricVariable); name != "" {
		return name
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, fabricName)
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			if short, err := filepath.Rel(here, name); err == nil {
				name = short
			}
			return name
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// tellFabric says which file was found.
func (e *env) tellFabric(given, found []string) {
	if len(given) == 0 && len(found) == 1 {
		fmt.Fprintf(e.err, "fabric  %s\n", clean(found[0]))
	}
}
