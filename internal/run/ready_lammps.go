package run

// lammps prints "Loop time of 1.23 on 4 procs for 100 steps with 32000 atoms" at the end of each run (docs.lammps.org, Run_output).
// An input with several run commands has several, of which figure: {match: ..} chooses.
func lammps() program {
	return program{name: "lammps", binary: "lmp", pack: "lammps", read: byPattern(`Loop time of (\S+) on`, "s")}
}
