// Package agent is both ends of the agent's protocol. The controller starts `linerate agent` over the connection to a
// host and sends requests over that process's standard input and output (Dial); Serve is the other end. When standard
// input closes, the agent ends with everything that it has started.
//
// A frame is four bytes of length, big-endian, and one JSON object {id, kind, body}. Each request has an id, which its
// answers have, too. Both ends send hello first, then each sends a beat every second; an end that has sent no whole
// frame for ten seconds is gone.
package agent
