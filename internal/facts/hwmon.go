package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Temperature is a sensor of a card or drive, in degrees Celsius.
type Temperature struct {
	Device string  // interface or chip: "eth2", "nvme"
	Sensor string  // "temp1"
	Label  string  // "asic", "Composite"; empty: the driver names it not
	Now    float64 // degrees
	// High and Critical are the device's own limits.
	High, Critical unit.Opt[float64]
	Proof
}

var hwmonFile = lazyregexp.New(`^/sys/class/(?:net/([^/]+)/device/)?hwmon/(hwmon\d+)/(name|(temp\d+)_(input|label|max|crit))$`)

// readHwmon reads "grep . /sys/class/hwmon/hwmon*/temp*" with name, also below an interface's device. Values are thousandths of a degree.
// Format: https://docs.kernel.org/hwmon/sysfs-interface.html. There is no capture of another machine behind it.
func readHwmon(f *Facts, _ []string, text []byte) error {
	names := map[string]string{}
	at := map[string]*Temperature{}
	var order []string
	err := readGrep(text, func(path, value string) bool {
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
			t = &Temperature{Device: m[1], Sensor: m[4]}
			at[key] = t
			order = append(order, key)
		}
		if m[5] == "label" {
			t.Label = value
			return true
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n > -300e3 && n < 1000e3) {
			return true // a sensor that does not answer
		}
		switch m[5] {
		case "input":
			t.Now, t.Proof = n/1000, f.proof(path+":"+value)
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

// heatLimit is a limit as a driver says it, in degrees. Some that know none say zero, or what no chip stands (65261 degrees, of drives).
func heatLimit(degrees float64) unit.Opt[float64] {
	if degrees <= 0 || degrees >= 200 {
		return unit.Unknown[float64]("the driver says " + strconv.FormatFloat(degrees, 'f', -1, 64) + " degrees, which is no limit")
	}
	return known(degrees)
}
