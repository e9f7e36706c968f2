package guest

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// modinfo is a module's own description.
type modinfo struct {
	Name    string
	Kernel  string   // the release that it was built for, first word of vermagic
	Depends []string // modules
}

// parseModinfo reads a module's section .modinfo: texts KEY=VALUE, each ended by a NUL (include/linux/moduleparam.h).
func parseModinfo(b []byte) (m modinfo) {
	for _, text := range strings.Split(string(b), "\x00") {
		key, value, _ := strings.Cut(text, "=")
		switch key {
		case "name":
			m.Name = value
		case "vermagic":
			m.Kernel, _, _ = strings.Cut(value, " ")
		case "depends":
			for _, d := range strings.Split(value, ",") {
				if d != "" {
					m.Depends = append(m.Depends, strings.ReplaceAll(d, "-", "_"))
				}
			}
		}
	}
	return m
}

// readModinfo reads a module's file.
func readModinfo(path string) (m modinfo, err error) {
	defer func() {
		if r := recover(); r != nil { // package elf may panic on hostile input
			err = fmt.Errorf("%s is not a module: %v", filepath.Base(path), r)
		}
	}()
	f, err := elf.Open(path)
	if err != nil {
		return m, fmt.Errorf("%s is not a module: %w", filepath.Base(path), err)
	}
	defer f.Close()
	s := f.Section(".modinfo")
	if s == nil {
		return m, fmt.Errorf("%s is not a module: it has no section .modinfo", filepath.Base(path))
	}
	b, err := s.Data()
	if err != nil {
		return m, fmt.Errorf("%s: its section .modinfo: %w", filepath.Base(path), err)
	}
	if m = parseModinfo(b); m.Kernel == "" {
		return m, errors.New(filepath.Base(path) + " does not say which kernel it is for")
	}
	return m, nil
}
