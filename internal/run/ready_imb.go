package run

const imbSource = "it is built from github.com/intel/mpi-benchmarks; Debian has no package of it"

// imb are the Intel MPI benchmarks' PingPong: rows of #bytes, #repetitions, t[usec], Mbytes/sec.
func imb() []program {
	return []program{
		{name: "imb_latency", binary: "IMB-MPI1", source: imbSource, command: "mpirun -n 2 IMB-MPI1 PingPong", read: func(text string) (reading, error) {
			return row(text, "#bytes", 2, "us", first8)
		}},
		{name: "imb_bw", binary: "IMB-MPI1", source: imbSource, command: "mpirun -n 2 IMB-MPI1 PingPong", read: func(text string) (reading, error) {
			return row(text, "#bytes", 3, "MB/s", highest)
		}},
	}
}
