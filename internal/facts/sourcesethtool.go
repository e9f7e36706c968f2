package facts

import "strings"

// ethtoolSources are ethtool's outputs: https://man7.org/linux/man-pages/man8/ethtool.8.html
func ethtoolSources() []source {
	of := func(name string, read func(f *Facts, args []string, text []byte) error) source {
		return source{name: name, read: read}
	}
	return []source{
		parsed("ethtool -k *", parseEthtoolFeatures, putEthtoolFeatures).
			keptAs("ethtool k", `(?m)^Features for (\S+):`),
		parsed("ethtool -i *", parseEthtoolDriver, putEthtoolDriver).
			orElse(missingEthtoolDriver).
			on("linux").keptAs("ethtool i", `(?m)^driver: \S`), // of that name alone it may be "ethtool -I --show-fec"
		of("ethtool -S *", readEthtoolStats).
			keptAs("ethtool s", `(?m)^NIC statistics:`),
		parsed("ethtool -l *", parseEthtoolChannels, func(f *Facts, args []string, v ethtoolChannels) {
			f.nic(args[0]).Queues, f.nic(args[0]).MostQueues = v.receive(), v.most()
		}).
			orElse(func(f *Facts, args []string, why string) { set(&f.nic(args[0]).Queues, why) }).
			keptAs("ethtool l", `(?m)^Channel parameters for (\S+):`),
		of("ethtool -m *", readEthtoolModule).
			keptAs("ethtool m", `(?m)^\s*Identifier +: 0x[0-9a-f]{2} \(`),
		of("ethtool --show-fec *", readEthtoolFEC).
			keptAs("ethtool show fec", `(?m)^FEC parameters for (\S+):`),
		of("ethtool -a *", readEthtoolPause).
			keptAs("ethtool a", `(?m)^Pause parameters for (\S+):`),
		of("ethtool -g *", readEthtoolRings).
			keptAs("ethtool g", `(?m)^Ring parameters for (\S+):`),
		parsed("ethtool -c *", parseEthtoolCoalesce, func(f *Facts, args []string, v map[string]int64) { f.nic(args[0]).Wire.Coalesce = v }).
			keptAs("ethtool c", `(?m)^Coalesce parameters for (\S+):`),
		parsed("ethtool --show-priv-flags *", parseEthtoolFlags, func(f *Facts, args []string, v map[string]bool) { f.nic(args[0]).Wire.Flags = v }).
			keptAs("ethtool show priv flags", `(?m)^Private flags for (\S+):`),
		of("ethtool *", readEthtoolLink).
			orElse(missingEthtoolLink).
			keptAs("", `(?m)^Settings for (\S+):`),
	}
}

// ethtoolCommand is ethtool's command with its flag in the form of the table.
func ethtoolCommand(words []string) string {
	for len(words) > 0 && (words[0] == "-I" || words[0] == "--include-statistics") { // also the statistics of what is shown
		words = words[1:]
	}
	if len(words) == 2 {
		switch words[0] {
		case "--show-features", "--show-offload":
			words[0] = "-k"
		case "--driver":
			words[0] = "-i"
		case "--statistics":
			words[0] = "-S"
		case "--show-channels":
			words[0] = "-l"
		case "--module-info", "--dump-module-eeprom":
			words[0] = "-m"
		case "--show-pause":
			words[0] = "-a"
		case "--show-ring":
			words[0] = "-g"
		case "--show-coalesce":
			words[0] = "-c"
		}
	}
	return strings.Join(append([]string{"ethtool"}, words...), " ")
}
