package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/cli/manual"
)

// mustBeTyped are flags without a variable. They give a permission, which holds for one command line only: a variable
// exported last week must not let a device be overwritten.
func mustBeTyped(flag string) bool {
	return flag == "destroy" || flag == "allow" || strings.HasPrefix(flag, "allow-")
}

// Variable is the environment variable that sets a flag of a command where the command line does not; empty: none. The
// rule: LINERATE_COMMAND_FLAG, in capitals, with _ for every other character.
func Variable(c *cobra.Command, f *pflag.Flag) string {
	shown := func(hidden bool, in map[string]string) bool { return !hidden || in[manual.Shown] != "" }
	if f.Name == "help" || f.Name == "version" && !c.HasParent() || f.Hidden && f.Annotations[manual.Shown] == nil ||
		mustBeTyped(f.Name) || c.Name() == "completion" || c.HasParent() && c.Parent().Name() == "completion" {
		return ""
	}
	for at := c; at != nil; at = at.Parent() {
		if !shown(at.Hidden, at.Annotations) {
			return ""
		}
	}
	return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(c.CommandPath() + "_" + f.Name))
}

// fromEnvironment sets flags that are not on the command line from their variables, once. Invalid values are reported
// by the variable's name.
func (e *Env) fromEnvironment(c *cobra.Command) {
	if e.environment != nil {
		return
	}
	e.environment = map[string]string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		name := Variable(c, f)
		if name == "" || f.Changed {
			return
		}
		text := e.Getenv(name)
		if text == "" {
			return
		}
		to := f.Value
		if own, ok := to.(value); ok {
			to = own.Value
		}
		if err := to.Set(text); err != nil {
			e.Errors.Add(
				errors.New(strings.Replace(unreadable(f.Name, f.Value.Type(), text, err).Error(), "--"+f.Name+" ", name+"=", 1)))
			return
		}
		f.Changed = true
		e.environment[f.Name] = name + "=" + text
	})
}

// WithoutFlags removes the variables that set flags from an environment: a program that starts linerate gives all flags
// itself, and must not inherit those of the command above it.
func WithoutFlags(environment []string, root *cobra.Command) []string {
	names := map[string]bool{}
	for _, c := range manual.Commands(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { names[Variable(c, f)] = true })
	}
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return names[name]
	})
}
