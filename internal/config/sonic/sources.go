package sonic

import "linerate/internal/config/device"

// Where the forms of the commands and tables are documented.
const (
	cmdref   device.Source = "sonic:command-reference"
	template device.Source = "sonic:qos_config.j2"
	tables   device.Source = "sonic:configuration.md"
	headroom device.Source = "sonic:pg_profile_lookup"
	cfggen   device.Source = "sonic:sonic-cfggen"
)

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	cmdref:   "sonic-net/sonic-utilities 691b1bb, doc/Command-Reference.md",
	template: "sonic-net/sonic-buildimage 086b03b, files/build_templates/qos_config.j2 (AZURE)",
	tables:   "sonic-net/sonic-buildimage 086b03b, src/sonic-yang-models/doc/Configuration.md",
	headroom: "sonic-net/sonic-buildimage 086b03b, pg_profile_lookup.ini: profiles for 5, 40 and 300 m",
	cfggen:   "sonic-net/sonic-buildimage 086b03b, src/sonic-config-engine/sonic-cfggen (--var-json)",
}
