// Package agent is both ends of the agent's protocol. The controller starts `linerate agent` over a host's reach and
// talks to it over that process's standard input and output (Dial); Serve is the far end. When standard input closes,
// the agent and everything that it started is gone.
//
// A frame is four bytes of length, big-endian, and one JSON object {id, kind, body}. Requests have an id of their own,
// answers carry it. Both ends say hello first, then each sends a beat every second; an end that sent no whole frame for
// ten seconds is gone.
package agent
