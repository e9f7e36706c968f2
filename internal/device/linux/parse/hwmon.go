package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var hwmonFile = lazyregexp.New(`^/sys/class/(?:net/([^/]+)/device/)?hwmon/(hwmon\d+)/(name|(temp\d+)_(input|label|max|crit))$`)

// readHwmon reads "grep . /sys/class/hwmon/hwmon*/temp*" with name, also below an interface's device. Values are
// thousandths of a degree. Format: https://docs.kernel.org/hwmon/sysfs-interface.html. No snapshot of another machine
// exists.
func readHwmon(f *parse.Builder, _ []string, text []byte) error {
	names := map[string]string{}
	at := map[string]*facts.Temperature{}
	var order []string
	err := parse.ReadGrep(text, func(path, value string) bool {
		m := hwmonFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		if m[3] == "name" {
			names[m[2]] = value
			return true
		}
		key := m[2] + "/" + m[4]
		t := at[key]
		if t == nil {
			t = &facts.Temperature{Device: m[1], Sensor: m[4]}
			at[key] = t
			order = append(order, key)
		}
		if m[5] == "label" {
			t.Label = value
			return true
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n > -300e3 && n < 1000e3) {
			return true // a sensor without a value
		}
		switch m[5] {
		case "input":
			t.Now, t.Proof = n/1000, f.Proof(path+":"+value)
		case "max":
			t.High = heatLimit(n / 1000)
		case "crit":
			t.Critical = heatLimit(n / 1000)
		}
		return true
	})
	if err != nil {
		return err
	}
	slices.Sort(order)
	for _, key := range order {
		t := at[key]
		if t.Device == "" {
			chip, _, _ := strings.Cut(key, "/")
			t.Device = names[chip]
		}
		if t.Line != "" {
			f.Temperatures = append(f.Temperatures, *t)
		}
	}
	return nil
}

// heatLimit returns a driver's limit in degrees. Drivers without one may print zero, or an impossible value (65261
// degrees, of drives).
func heatLimit(degrees float64) unit.Opt[float64] {
	if degrees <= 0 || degrees >= 200 {
		return unit.Unknown[float64]("the driver says " + strconv.FormatFloat(degrees, 'f', -1,
			64) + " degrees, which is not a limit")
	}
	return unit.Known(degrees)
}
