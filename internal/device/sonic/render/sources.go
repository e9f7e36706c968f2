package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/sonic"
)

// The documents of the commands and tables.
const (
	cmdref   config.Source = "sonic:command-reference"
	template config.Source = "sonic:qos_config.j2"
	tables   config.Source = "sonic:configuration.md"
	headroom config.Source = "sonic:pg_profile_lookup"
	cfggen   config.Source = "sonic:sonic-cfggen"
)

// Sources are the documents of this family.
var Sources = map[config.Source]string{cmdref: "sonic-net/sonic-utilities 691b1bb, doc/Command-Reference.md",
	template: "sonic-net/sonic-buildimage 086b03b, files/build_templates/qos_config.j2 (AZURE)",
	tables:   "sonic-net/sonic-buildimage 086b03b, src/sonic-yang-models/doc/Configuration.md",
	headroom: "sonic-net/sonic-buildimage 086b03b, pg_profile_lookup.ini: profiles for 5, 40 and 300 m",
	cfggen:   "sonic-net/sonic-buildimage 086b03b, src/sonic-config-engine/sonic-cfggen (--var-json)"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: sonic.System.Family, Switch: Switch, Sources: Sources},
}
