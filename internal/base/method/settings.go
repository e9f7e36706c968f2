package method

import (
	"slices"
	"sync"
)

// Limits of settings that more than one package needs.
const (
	MinMTU     = 576
	MaxMTU     = 65520    // IP over InfiniBand, connected mode
	MaxMessage = 64 << 20 // bytes that an agent keeps ready for one message
	MaxTile    = 16384    // words of a halo message, which must fit whole into a socket buffer
	MaxRanks   = 4096     // processes of a halo exchange
)

// table holds every setting of an experiment, made once. It is never modified: other packages get copies.
var table = sync.OnceValue(newTable)

func newTable() []Setting {
	return slices.Concat(common(), ofNetwork(), ofRDMA(), ofStorage(), ofPrograms())
}

// Settings returns every setting of an experiment, in the order of messages.
func Settings() []Setting {
	all := slices.Clone(table())
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

// yes returns the values of a setting that is a switch.
func yes() []string { return []string{"true", "false"} }

// overIP returns the methods that fill or probe a path over IP.
func overIP() []string { return []string{Throughput, Latency, Acceptance, Lossless} }

// but returns all methods except measured.
func but(measured ...string) []string {
	return Names(func(m Method) bool { return !slices.Contains(measured, m.Name) })
}

// common returns the settings of every method.
func common() []Setting {
	return []Setting{
		{Key: "transport", Kind: Word, WordsOf: map[string][]string{
			Throughput: {"tcp", "udp", "mptcp"}, Lossless: {"tcp", "udp"}, Latency: {"tcp", "udp", "icmp"},
			Halo: {"tcp", "rdma", "mpi"}, RDMA: {"ib", "rocev1", "rocev2", "iwarp"},
			Copy:    {"smb", "smb-direct", "nfs", "ftp", "ssh", "http", "local"},
			Storage: {"local", "smb", "smb-direct", "nfs", "iscsi", "nbd", "nvme-tcp"},
		}, Later: []string{Command, Acceptance}, Flags: map[string]Flag{
			Shared: {
				Usage: "tcp (the default), udp; throughput also mptcp; latency also icmp; " +
					"rdma: ib, rocev1, rocev2, iwarp (default: the NIC's)",
				UsageOf: map[string]string{Throughput: "tcp (the default), udp, mptcp", Latency: "tcp (the default), udp, icmp",
					RDMA: "ib, rocev1, rocev2, iwarp (default: the NIC's)", Acceptance: "tcp (the default), udp"},
			},
			Copy: {Usage: "between two hosts: ssh, http, smb"},
		}},
		{Key: "time", Kind: Time, Low: 0.01, High: 7 * 86400, Flags: map[string]Flag{
			Shared: {
				Form:  One,
				Usage: "measured interval of a repeat (default 5s; with --amount the limit: 10m)",
				UsageOf: map[string]string{Latency: "measured interval of a repeat (default 5s)",
					RDMA:       "measured interval of a repeat (default 5s)",
					Acceptance: "time of the test (default: as long as the bound needs)"},
			},
			Storage: {Form: One, Usage: "measured interval of a repeat (default 5s)"},
			Copy:    {Form: One, Usage: "longest time of a copy (default: 1 min and 1 s for each MiB)"},
			Command: {Form: One, Usage: "longest time of the command (default 10m)"},
		}},
		{Key: "warmup", Kind: Time, High: 86400, Later: but(Storage), Flags: map[string]Flag{
			Storage: {Form: One, Usage: "before the interval (default 1s)"}}},
		{Key: "pause", Kind: Time, High: 86400, Later: but(Storage), Flags: map[string]Flag{
			Storage: {Form: One, Usage: "between two repeats"}}},
		{Key: "seed", Kind: Count, Later: but(Storage), Flags: map[string]Flag{
			Storage: {Name: "data-seed", Form: One, Usage: "of offsets and data (default 1)"}}},
		{Key: "limit", Kind: Rate, Low: 1, Methods: []string{Storage}, Flags: map[string]Flag{
			Storage: {Usage: "most requests (1000) or bits (200M) a second of each host"},
		}},
		{Key: "pace", Kind: Rate, Low: 1, Later: but(Throughput), Flags: map[string]Flag{
			Shared: {Form: One, Usage: "limit of each stream, such as 300M"}}},
	}
}

// ofNetwork returns the settings of traffic over IP between hosts. Other methods share mtu, streams, size, direction
// and pattern.
func ofNetwork() []Setting {
	return []Setting{
		{
			Key:     "pace_by",
			Kind:    Word,
			Words:   []string{"kernel", "program"},
			Methods: []string{Throughput},
			Flags: map[string]Flag{
				Shared: {Form: One, Usage: "who keeps the pace: kernel, program (default: the kernel where it can)"}},
		},
		{Key: "source", Kind: Text, Methods: []string{Throughput}, Flags: map[string]Flag{
			Shared: {
				Form: One,
				Usage: "send this file of the sending host, from its root on, instead of memory; over and over where it is too " +
					"short",
			},
		}},
		{
			Key:     "copy_mode",
			Kind:    Word,
			Words:   []string{"both", "receive", "none"},
			Methods: []string{Throughput},
			Flags: map[string]Flag{
				Shared: {
					Form: One,
					Usage: "where a stream's bytes are copied: both ends (the default), receive (the sender hands pages over), none " +
						"(the receiver also discards them)",
				},
			},
		},
		{Key: "placement", Kind: Text, Methods: []string{Throughput, Latency, RDMA, Halo}, Flags: map[string]Flag{
			Shared: {Form: One,
				Usage: "cores of the threads: auto (by a trial, the default), off, or lists for from and to such as 0,1/2,3"},
		}},
		{Key: "spin", Kind: Word, Words: yes(), Methods: []string{Latency, Halo}, Flags: map[string]Flag{
			Shared: {Form: Switch, Usage: "of latency: poll the socket instead of sleeping",
				UsageOf: map[string]string{Latency: "poll the socket instead of sleeping"}}}},
		{Key: "every", Kind: Time, Low: 1e-6, High: 86400, Methods: []string{Latency}, Flags: map[string]Flag{
			Shared: {
				Usage: "of latency: send requests at fixed times, such as every 1ms; the RTT counts from the time at which a " +
					"request was due",
				UsageOf: map[string]string{
					Latency: "send requests at fixed times, such as every 1ms; the RTT counts from the time at which a request was " +
						"due",
				},
			},
		}},
		{Key: "load_streams", Kind: Count, Low: 1, High: 1024, Methods: []string{Latency}, Flags: map[string]Flag{
			Shared: {Usage: "of latency: with so many TCP streams as load, such as 1,8, and without load before",
				UsageOf: map[string]string{Latency: "with so many TCP streams as load, such as 1,8, and without load before"}}}},
		{Key: "load_direction", Kind: Word, Words: directions(), Methods: []string{Latency}, Flags: map[string]Flag{
			Shared: {Usage: "direction of the load: out (the default), in, both"}}},
		{
			Key:   "mtu",
			Kind:  Count,
			Low:   MinMTU,
			High:  MaxMTU,
			Later: []string{RDMA, Storage, Halo, Command, Lossless},
			Flags: map[string]Flag{
				Shared: {
					Usage: "the MTU of the path; measure changes no settings, so another MTU than the path's is listed as not run",
				},
			},
		},
		{
			Key:     "streams",
			Kind:    Count,
			Low:     1,
			High:    1024,
			Methods: append([]string{Copy, Storage}, overIP()...),
			Later:   []string{Storage},
			Flags: map[string]Flag{
				Shared: {
					Usage: "number of streams, such as 1,4; of latency pairs that measure in parallel",
					UsageOf: map[string]string{Throughput: "number of streams, such as 1,4",
						Latency: "number of pairs that measure in parallel, such as 1,4", Acceptance: "number of streams, such as 1,4"},
					Default: map[string][]string{Throughput: {"1"}},
				},
				Copy: {Usage: "parallel copies, which divide the files (default 1)"},
			},
		},
		{
			Key:     "size",
			Kind:    Bytes,
			Low:     1,
			HighOf:  map[string]float64{Throughput: MaxMessage, Latency: MaxMessage},
			Methods: append([]string{RDMA, Storage, Copy, Halo}, overIP()...),
			Later:   []string{Copy, Halo, Acceptance},
			Flags: map[string]Flag{
				Shared:  {Usage: "message size, such as 4KiB,64KiB, or 512B..1MiB in doublings"},
				Storage: {Usage: "block size, such as 4KiB,64KiB, or 512B..1MiB in doublings (default 4KiB)"}},
		},
		{
			Key:     "fragment",
			Kind:    Word,
			Words:   yes(),
			Methods: overIP(),
			Later:   []string{Acceptance, Lossless},
			Flags: map[string]Flag{
				Shared: {Form: Switch, Usage: "over UDP, cut messages above the MTU into IP fragments instead of refusing them"},
			},
		},
		// acceptance fills both directions, and lossless goes to one host
		{
			Key:     "direction",
			Kind:    Word,
			Words:   directions(),
			Methods: []string{Throughput, Latency, RDMA, Copy, Halo},
			Later:   []string{Halo},
			Flags: map[string]Flag{
				Shared: {Usage: "out, in, both; of latency the end that sends requests", UsageOf: map[string]string{
					Throughput: "out, in, both", Latency: "the end that sends requests: out, in, both", RDMA: "out, in, both"},
					Default: map[string][]string{Throughput: {"out", "in"}}},
				Copy: {Usage: "out (default: from source to target), in (back), both"}},
		},
		{Key: "traffic", Kind: Word, Words: []string{"pairs", "incast", "all-to-all"},
			Methods: []string{RDMA, Halo, Throughput, Latency, Acceptance}, Later: []string{RDMA, Halo, Latency, Acceptance},
			Flags: map[string]Flag{Shared: {Usage: "many hosts in parallel: pairs, incast (all to one), all-to-all"}}},
		{Key: "access", Kind: Word, Words: []string{"random", "sequential", "zipf"}, Methods: []string{Storage},
			Flags: map[string]Flag{Storage: {Usage: "random (the default), sequential, zipf"}}},
		{Key: "class", Kind: Text, Methods: []string{Lossless}},
		{
			Key:     "bit_error_rate",
			Kind:    Ratio,
			Low:     1e-18,
			High:    1e-3,
			Methods: []string{Acceptance},
			Flags: map[string]Flag{
				Shared: {
					Form:  One,
					Usage: "of acceptance: bit error rate to show with 95 % confidence (default 1e-12)",
				},
			},
		},
	}
}

// directions are the directions of data: from the first end to the second, back, and both at once.
func directions() []string { return []string{"out", "in", "both"} }

// ofRDMA returns the settings of RDMA requests.
func ofRDMA() []Setting {
	flag := func(usage string) map[string]Flag { return map[string]Flag{Shared: {Usage: usage, Only: RDMA}} }
	withOwn := func(usage, own string) map[string]Flag {
		return map[string]Flag{Shared: {Usage: usage, UsageOf: map[string]string{RDMA: own}, Only: RDMA}}
	}
	depth := flag("of rdma: outstanding requests of a pair (default 128, and at most 1 MiB)")
	depth[Storage] = Flag{Usage: "outstanding requests of each thread (default 1)"}
	return []Setting{
		{Key: "op", Kind: Word, Words: []string{"write", "read", "send"}, Methods: []string{RDMA},
			Flags: flag("of rdma: write (the default), read, send")},
		{Key: "metric", Kind: Word, Words: []string{"latency", "goodput"}, Methods: []string{RDMA, Halo},
			Later: []string{Halo}, Flags: flag("of rdma: latency (the default), goodput")},
		{Key: "amount", Kind: Bytes, Low: 1, Methods: []string{Throughput, Storage, Copy}, Flags: map[string]Flag{
			Shared: {Form: One,
				Usage: "bytes in each direction, such as 10GiB, instead of a time"},
			Storage: {Form: One, Usage: "bytes to read or write, instead of a time"},
			Copy:    {Form: One, Usage: "bytes to copy, such as 3.2GB (default: the source file, else 1GiB)"},
		}},
		{Key: "read", Kind: Share, High: 1, Methods: []string{Storage}, Flags: map[string]Flag{
			Storage: {Usage: "share of reads, such as 100%,70%,0% (default 100%)"}}},
		{Key: "depth", Kind: Count, Low: 1, High: 65536, Methods: []string{Storage, RDMA}, Flags: depth},
		{Key: "service", Kind: Word, Words: []string{"rc", "ud"}, Methods: []string{RDMA},
			Flags: flag("of rdma: rc (the default) or ud, which sends datagrams up to the path's MTU")},
		{
			Key:     "inline",
			Kind:    Bytes,
			High:    65536,
			Methods: []string{RDMA},
			Flags: flag(
				"of rdma: bytes up to which a request carries its payload itself; 0: none (default 220, or what the device takes)"),
		},
		{Key: "signal", Kind: Count, Low: 1, High: 65536, Methods: []string{RDMA},
			Flags: flag("of rdma: requests per completion (default: as many as make 64 KiB, at most 64)")},
		{Key: "batch", Kind: Count, Low: 1, High: 1024, Methods: []string{Throughput, RDMA}, Flags: map[string]Flag{
			Shared: {
				Usage: "messages of --size that one call sends; of rdma requests per doorbell (default 1)",
				UsageOf: map[string]string{Throughput: "messages of --size that one call sends (default 1)",
					RDMA: "requests per doorbell (default 1)"}}}},
		{Key: "path_mtu", Kind: Count, Low: 256, High: 4096, Methods: []string{RDMA},
			Flags: flag("of rdma: 256, 512, 1024, 2048 or 4096 (default: the port's)")},
		{Key: "service_level", Kind: Count, High: 15, Methods: []string{RDMA},
			Flags: withOwn("of rdma over InfiniBand: 0 to 15", "over InfiniBand: 0 to 15")},
		{Key: "traffic_class", Kind: Count, High: 255, Methods: []string{RDMA},
			Flags: withOwn("of rdma over RoCE: 0 to 255; DSCP 26 is 104", "over RoCE: 0 to 255; DSCP 26 is 104")},
		{Key: "device", Kind: Text, Methods: []string{RDMA},
			Flags: flag("of rdma: the RDMA device, such as mlx5_0, where its interface does not determine it")},
	}
}

// ofStorage returns the settings of reads, writes and copies, except those shared with other methods above.
func ofStorage() []Setting {
	flag := func(form Form, usage string) map[string]Flag {
		return map[string]Flag{Storage: {Form: form, Usage: usage}}
	}
	return []Setting{
		{
			Key:     "threads",
			Kind:    Count,
			Low:     1,
			High:    4096,
			Methods: []string{Storage, Copy, Command, RDMA, Halo},
			Later:   []string{Halo},
			Flags: map[string]Flag{
				Shared: {Usage: "of rdma: threads at each end, each on its own core, such as 1,2,4,8", Only: RDMA,
					UsageOf: map[string]string{RDMA: "threads at each end, each on its own core, such as 1,2,4,8"}},
				Storage: {Usage: "threads (default 1)"},
				Copy:    {Usage: "parallel files of one tool: robocopy /MT, curl --parallel"},
				Command: {Usage: "{threads}, such as 1,2 (default 1)"}},
		},
		{
			Key:     "load",
			Kind:    Load,
			Methods: []string{Storage},
			Flags: flag(Several,
				"access, block size, depth and threads, such as SEQ1M-Q8T1,RND4K-Q32T16"),
		},
		{Key: "steady", Kind: Word, Words: yes(), Methods: []string{Storage},
			Flags: flag(Switch, "measure until the steady state holds, --time at most")},
		{Key: "profile", Kind: Text, Methods: []string{Storage},
			Flags: flag(Several, "named set of loads: cdm, quick, vmfleet and others (--help-all)")},
		{
			Key:     "span",
			Kind:    Bytes,
			Low:     4096,
			Methods: []string{Storage},
			Flags: flag(Several,
				"how much of the storage is used, and the size of a file that is made (default: all, 1GiB of what is made)"),
		},
		{Key: "think", Kind: Time, High: 3600, Methods: []string{Storage},
			Flags: flag(One, "think time between a completion and the next request")},
		{
			Key:     "cache",
			Kind:    Word,
			WordsOf: map[string][]string{Storage: {"around", "through"}, Copy: {"cold", "warm"}},
			Methods: []string{Storage, Copy},
			Flags: map[string]Flag{
				Storage: {Form: One, Usage: "around (default, where possible) or through the page cache"},
				Copy: {
					Usage: "cold (default): not in the page cache; warm: read from memory",
				},
			},
		},
		{Key: "files", Kind: Count, Low: 1, High: 1e6, Methods: []string{Copy}, Flags: map[string]Flag{
			Copy: {Usage: "number of files (default: one for each stream)"}}},
		{
			Key:     "tool",
			Kind:    Word,
			Words:   []string{"cp", "robocopy", "smbclient", "curl", "nfs-cp", "own", "scp", "sftp", "rsync"},
			Methods: []string{Copy},
			Flags: map[string]Flag{
				Copy: {
					Usage: "cp, robocopy, smbclient, curl, nfs-cp, own, scp, sftp, rsync",
				},
			},
		},
		{Key: "sync", Kind: Word, Words: yes(), Methods: []string{Storage},
			Flags: flag(Switch, "a write counts when it is on the drive")},
		{
			Key:     "on_error",
			Kind:    Word,
			Words:   []string{"stop", "go-on"},
			Methods: []string{Storage},
			Flags:   flag(One, "after a request that failed: stop (the default; what was measured until then is kept) or go-on"),
		},
		{Key: "verify", Kind: Word, Words: yes(), Methods: []string{Storage},
			Flags: flag(Switch, "write blocks with their place and a checksum, and compare them when they are read")},
	}
}

// ofPrograms returns the settings of processes: of halo, and of a user's own command.
func ofPrograms() []Setting {
	flag := func(form Form, usage string) map[string]Flag {
		return map[string]Flag{Command: {Form: form, Usage: usage}}
	}
	return []Setting{
		{Key: "tiles", Kind: Count, High: MaxTile, Methods: []string{Halo}},
		{Key: "exchange", Kind: Word, Words: []string{"two-phase", "one-phase", "sendrecv"}, Methods: []string{Halo}},
		{Key: "processes", Kind: Count, Low: 1, High: 1 << 20, HighOf: map[string]float64{Halo: MaxRanks},
			Methods: []string{Command, Halo},
			Flags:   flag(Several, "{processes}, such as 2,4,8 (default: one a host)")},
		{Key: "command", Kind: Text, Methods: []string{Command}}, // after -- on the command line
		{Key: "server", Kind: Text, Methods: []string{Command},
			Flags: flag(One, "command of the server, on the last host")},
		{Key: "ready", Kind: Text, Methods: []string{Command},
			Flags: flag(One, "regular expression of the server's output when it is ready (default: after 1 s)")},
		{Key: "app", Kind: Word, Words: Programs(), Methods: []string{Command},
			Flags: flag(Several, "ready-made program: "+join(Programs()))},
	}
}
