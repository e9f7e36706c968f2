package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/cli/manual"
)

// mustBeTyped are flags without a variable: what they permit is permitted for one command line, by who types it. A variable that
// somebody exported last week must not let a device be written over.
func mustBeTyped(flag string) bool {
	return flag == "destroy" || flag == "allow" || strings.HasPrefix(flag, "allow-")
}

// variable is the environment variable that stands for a flag of a command where the command line does not have it; empty: none does.
// The rule: LINERATE_COMMAND_FLAG, in capitals, every other character _.
func variable(c *cobra.Command, f *pflag.Flag) string {
	shown := func(hidden bool, in map[string]string) bool { return !hidden || in[manual.Shown] != "" }
	if f.Name == "help" || f.Name == "version" && !c.HasParent() || f.Hidden && f.Annotations[manual.Shown] == nil || mustBeTyped(f.Name) || c.Name() == "completion" || c.HasParent() && c.Parent().Name() == "completion" {
		return ""
	}
	for at := c; at != nil; at = at.Parent() {
		if !shown(at.Hidden, at.Annotations) {
			return ""
		}
	}
	return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(c.CommandPath() + "_" + f.Name))
}

// fromEnvironment gives flags that the command line does not have the values of their variables, once. What cannot be read is noted
// by the variable's name.
func (e *env) fromEnvironment(c *cobra.Command) {
	if e.environment != nil {
		return
	}
	e.environment = map[string]string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(c, f)
		if name == "" || f.Changed {
			return
		}
		text := e.getenv(name)
		if text == "" {
			return
		}
		to := f.Value
		if own, ok := to.(value); ok {
			to = own.Value
		}
		if err := to.Set(text); err != nil {
			e.wrong.add(errors.New(strings.Replace(unreadable(f.Name, f.Value.Type(), text, err).Error(), "--"+f.Name+" ", name+"=", 1)))
			return
		}
		f.Changed = true
		e.environment[f.Name] = name + "=" + text
	})
}

// withoutFlags is an environment without the variables that stand for flags: who starts this program for a purpose of its own types all that it means,
// and what somebody exported for the command above it is not meant for that.
func withoutFlags(environment []string, root *cobra.Command) []string {
	names := map[string]bool{}
	for _, c := range manual.Commands(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { names[variable(c, f)] = true })
	}
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return names[name]
	})
}

// whence says of the flags that a message names which are of the environment: who reads it did not type them.
func (e *env) whence(message string) string {
	var names []string
	for flag := range e.environment {
		for at := strings.Index(message, "--"+flag); at >= 0; {
			end := at + len("--"+flag)
			if end == len(message) || !strings.ContainsRune("-abcdefghijklmnopqrstuvwxyz", rune(message[end])) {
				names = append(names, flag)
				break
			}
			next := strings.Index(message[end:], "--"+flag)
			if next < 0 {
				break
			}
			at = end + next
		}
	}
	slices.Sort(names)
	for _, flag := range names {
		message += fmt.Sprintf("\n  --%s is of the environment: %s", flag, e.environment[flag])
	}
	return message
}
