package facts

import "linerate/internal/base/unit"

// Sensor is a part of a switch or a machine that reports how it is: a power supply, a fan, a temperature.
type Sensor struct {
	Kind  string // psu, fan, temperature
	Name  string // as the device has it: "1", "PSU 2", "FAN_1", "Outlet sensor"
	State string // in the device's words: "Ok", "Power Loss"
	// OK says whether the device itself calls it fine; unknown for what is not plugged in, and for words that are not known here.
	OK unit.Opt[bool]
	Proof
}

// sensed adds a sensor.
func (f *Facts) sensed(kind, name, state, line string) {
	f.Switch.Sensors = append(f.Switch.Sensors, Sensor{kind, name, state, sensorOK(state), f.proof(line)})
}
