// Package lab builds a fabric on one Linux machine out of namespaces, so that it goes through the same plan, facts,
// check, measure and explain as a real one.
//
// A lab is one process, its init, in pid, mount, network and UTS namespaces of its own (and a user namespace when it is
// started by an ordinary user). Every host is a thread of the init in namespaces of its own, held by nothing else; every
// switch is a bridge in the init's network namespace. When the init dies, by whatever cause, the kernel kills all
// processes of the lab and takes every namespace, link and queueing discipline with them: nothing stays behind.
//
//	Up ------> init: calibrate, hosts, links, settings, shaping, serve
//	             ^
//	reach lab ---+   a Unix socket in the lab's folder: exec, status, down
//
// A program that calls Up must hand the argument "lab-init" over to InitMain, because Up starts the program itself again.
package lab
