package ethtool

import (
	"strings"

	"linerate/internal/facts/parse"
)

// Sources are ethtool's outputs: https://man7.org/linux/man-pages/man8/ethtool.8.html
func Sources() []parse.Source {
	of := func(name string, read func(f *parse.Builder, args []string, text []byte) error) parse.Source {
		return parse.Source{Name: name, Read: read}
	}
	return []parse.Source{
		parse.Parsed("ethtool -k *", parseEthtoolFeatures, putEthtoolFeatures).
			KeptAs("ethtool k", `(?m)^Features for (\S+):`),
		parse.Parsed("ethtool -i *", parseEthtoolDriver, putEthtoolDriver).
			OrElse(missingEthtoolDriver).
			On("linux").KeptAs("ethtool i", `(?m)^driver: \S`), // a file of only that name may be of "ethtool -I --show-fec"
		of("ethtool -S *", readEthtoolStats).
			KeptAs("ethtool s", `(?m)^NIC statistics:`),
		parse.Parsed("ethtool -l *", parseEthtoolChannels, func(f *parse.Builder, args []string, v ethtoolChannels) {
			f.Interface(args[0]).Queues, f.Interface(args[0]).MostQueues = v.receive(), v.most()
		}).
			OrElse(func(f *parse.Builder, args []string, why string) { parse.Missing(&f.Interface(args[0]).Queues, why) }).
			KeptAs("ethtool l", `(?m)^Channel parameters for (\S+):`),
		of("ethtool -m *", readEthtoolModule).
			KeptAs("ethtool m", `(?m)^\s*Identifier +: 0x[0-9a-f]{2} \(`),
		of("ethtool --show-fec *", readEthtoolFEC).
			KeptAs("ethtool show fec", `(?m)^FEC parameters for (\S+):`),
		of("ethtool -a *", readEthtoolPause).
			KeptAs("ethtool a", `(?m)^Pause parameters for (\S+):`),
		of("ethtool -g *", readEthtoolRings).
			KeptAs("ethtool g", `(?m)^Ring parameters for (\S+):`),
		parse.Parsed("ethtool -c *", parseEthtoolCoalesce,
			func(f *parse.Builder, args []string, v map[string]int64) { f.Interface(args[0]).Wire.Coalesce = v }).
			KeptAs("ethtool c", `(?m)^Coalesce parameters for (\S+):`),
		parse.Parsed("ethtool --show-priv-flags *", parseEthtoolFlags,
			func(f *parse.Builder, args []string, v map[string]bool) { f.Interface(args[0]).Wire.Flags = v }).
			KeptAs("ethtool show priv flags", `(?m)^Private flags for (\S+):`),
		of("ethtool *", ReadEthtoolLink).
			OrElse(missingEthtoolLink).
			KeptAs("", `(?m)^Settings for (\S+):`),
	}
}

// Canonical returns ethtool's command with its flag in the form of the table.
func Canonical(words []string) string {
	for len(words) > 0 && (words[0] == "-I" ||
		words[0] == "--include-statistics") { // adds statistics to the output
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
