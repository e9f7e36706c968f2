package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/agent"
)

// mpi is the environment that makes mpirun of Open MPI 4 and of MPICH (Hydra) start daemons over the fabric's
// connections, and use only the planned network. together: the hosts are on one machine; shared: they also have one
// name and one shared memory, so that MPI would take them for one host.
func (a *Command) mpi(together, shared bool) []string {
	if len(a.hosts) < 2 || a.serve != nil {
		return nil
	}
	own := "{folder}/.linerate/"
	env := []string{
		"OMPI_MCA_plm=rsh", "OMPI_MCA_plm_rsh_agent=" + own + launcherName, "OMPI_MCA_plm_rsh_no_tree_spawn=1",
		"OMPI_MCA_orte_leave_session_attached=1", // keeps the error messages of daemons
		"OMPI_MCA_orte_default_hostfile=" + own + slotsName, "OMPI_MCA_rmaps_base_mapping_policy=node:OVERSUBSCRIBE",
		"OMPI_MCA_orte_tmpdir_base={folder}/.linerate", "OMPI_MCA_btl_vader_backing_directory={folder}/.linerate",
		"HYDRA_LAUNCHER=ssh", "HYDRA_LAUNCHER_EXEC=" + own + launcherName, "HYDRA_HOST_FILE=" + own + hostsName,
	}
	env = append(
		env,
		"OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
	) // whoever runs it as root chose that with the connection
	if together {
		env = append(
			env,
			"OMPI_MCA_hwloc_base_binding_policy=none",
			"OMPI_MCA_mpi_yield_when_idle=1",
		) // ranks share the machine's cores
	}
	var nets []string
	for _, n := range a.nets {
		nets = append(nets, n.String())
	}
	if len(nets) > 0 {
		env = append(env, "OMPI_MCA_btl_tcp_if_include="+strings.Join(nets, ","),
			"OMPI_MCA_oob_tcp_if_include="+strings.Join(nets, ","))
	}
	if name := a.oneInterface(); name != "" {
		env = append(env, "HYDRA_IFACE="+name)
		if together || !a.OverRDMA() {
			env = append(env, "UCX_NET_DEVICES="+name, "FI_TCP_IFACE="+name)
		}
	}
	if together || !a.OverRDMA() { // without planned RDMA, or in a lab: TCP, and shared memory within a host
		env = append(env, "OMPI_MCA_pml=ob1", "OMPI_MCA_osc=^ucx", "FI_PROVIDER=tcp")
		if shared {
			env = append(env, "OMPI_MCA_btl=self,tcp")
		} else {
			env = append(env, "OMPI_MCA_btl=self,vader,tcp")
		}
		// UCX lets all processes of one kernel share memory, whatever their host's name; MPICH has its own shared memory,
		// too.
		if together {
			env = append(env, "UCX_TLS=tcp,self")
		} else {
			env = append(env, "UCX_TLS=tcp,self,sm")
		}
	}
	return env
}

// launcher makes the agents of the combination's hosts start daemons of mpirun.
func (a *Command) launcher(ctx context.Context, sides []*Host) func(*agent.AppRun, agent.Launch) {
	return func(from *agent.AppRun, q agent.Launch) {
		go func() {
			answer := agent.Launched{Exit: 255}
			if a.serve != nil || slices.ContainsFunc(sides[1:], func(x *Host) bool { return x.run == from }) {
				answer.Output = []byte(
					"linerate: only the first host of an experiment on several (on:) starts something on the others\n",
				)
			} else if i := a.hostOf(q.Host); i < 0 {
				answer.Output = []byte(
					fmt.Sprintf("linerate: %.80q is none of the experiment's hosts, which are %s\n", q.Host,
						strings.Join(a.hosts, ", ")),
				)
			} else if i == 0 {
				answer = spawned(ctx, from, q.Line)
			} else {
				answer = spawned(ctx, sides[i].run, q.Line) // the others were ready before the command began
			}
			answer.Number = q.Number
			_ = from.Launched(ctx, answer) // the agent may be gone
		}()
	}
}

func spawned(ctx context.Context, on *agent.AppRun, line string) agent.Launched {
	a, err := on.Spawn(ctx, line)
	if err != nil {
		return agent.Launched{Exit: 255, Output: []byte("linerate: " + err.Error() + "\n")}
	}
	return a
}
