// Package setting defines the flags of linerate measure for the settings of an experiment, from the table of methods,
// and reads them.
package setting

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
)

// Flags are the settings on a command line. The zero value has none.
type Flags struct {
	command string // method.Shared, or a method with a command of its own
	values  map[string]*value
}

// value is the value of one flag: one of the three, by the form of the flag.
type value struct {
	one     string
	several []string
	on      bool
}

// Add defines the flags of a command, which is method.Shared or a method with a command of its own.
func Add(flags *pflag.FlagSet, command string) Flags {
	f := Flags{command: command, values: map[string]*value{}}
	for _, key := range method.FlagOrder(command) {
		s, _ := method.SettingOf(key) // a test compares the order with the table
		v, flag, name := &value{}, s.Flags[command], FlagOf(s, command)
		switch flag.Form {
		case method.One:
			flags.StringVar(&v.one, name, "", flag.Usage)
		case method.Switch:
			flags.BoolVar(&v.on, name, false, flag.Usage)
		default:
			flags.StringSliceVar(&v.several, name, nil, flag.Usage)
		}
		f.values[key] = v
	}
	return f
}

// FlagOf is the name of a setting's flag at a command.
func FlagOf(s method.Setting, command string) string {
	if name := s.Flags[command].Name; name != "" {
		return name
	}
	return strings.ReplaceAll(s.Key, "_", "-")
}

// Texts are the values of a setting as typed; none: it was not given.
func (f Flags) Texts(key string) []string {
	v := f.values[key]
	switch {
	case v == nil:
		return nil
	case v.on:
		return []string{"true"}
	case v.one != "":
		return []string{v.one}
	}
	return v.several
}

// Text is the one value of a setting, or "".
func (f Flags) Text(key string) string {
	if texts := f.Texts(key); len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// With is f with other values for one setting. f stays unchanged.
func (f Flags) With(key string, texts ...string) Flags {
	f.values = maps.Clone(f.values)
	if f.values == nil {
		f.values = map[string]*value{}
	}
	f.values[key] = &value{several: texts}
	return f
}

// Take copies the values of another command line with the same flags into f's flags.
func (f Flags) Take(other Flags) {
	for key, v := range other.values {
		if own := f.values[key]; own != nil {
			*own = *v
			own.several = slices.Clone(v.several)
		}
	}
}

// Parameters turns the flags into the parameters of an experiment of a method, the last of which varies fastest. given
// are the names of the flags on the command line. Each error names its flag.
func (f Flags) Parameters(of string, given []string) (parameters []fabric.Parameter, wrong []error) {
	for _, key := range method.FlagOrder(f.command) {
		s, _ := method.SettingOf(key)
		flag, name := s.Flags[f.command], FlagOf(s, f.command)
		texts := f.Texts(key)
		if len(texts) == 0 && slices.Contains(given, name) && flag.Form == method.One {
			texts = []string{""}
		}
		if len(texts) == 0 {
			texts = flag.Default[of]
		}
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" && !slices.Contains(given, name) {
			continue
		}
		if flag.Only != "" && flag.Only != of {
			wrong = append(wrong, diag.Advise(fmt.Errorf("--%s is of %s, not of %s", name, flag.Only, of),
				"omit it"))
			continue
		}
		parameter, errs := Parameter(of, key, name, texts...)
		parameters, wrong = append(parameters, parameter), append(wrong, errs...)
	}
	return parameters, wrong
}

// Parameter parses the values of one setting of a method. name is its name in errors, without the --.
func Parameter(of, key, name string, texts ...string) (parameter fabric.Parameter, wrong []error) {
	values, errs := fabric.Values(of, key, texts)
	for _, err := range errs {
		text := strings.Replace(err.Error(), "write "+key+": ", "write --"+name+" ", 1)
		wrong = append(wrong, fmt.Errorf("--%s: %s", name, text))
	}
	return fabric.Parameter{Key: key, Values: values}, wrong
}
