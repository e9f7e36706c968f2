package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// loadCommand turns the test binary into a small TCP load inside the lab.
const loadCommand = "test-load"

// loadResult is what a receiver or a pinger prints.
type loadResult struct {
	Bytes   int64   // of payload, total
	Rate    float64 // bits per second of payload in the interval
	Retrans int64
	P50     time.Duration
	P99     time.Duration
}

// loadMain is one of: recv ADDRESS STREAMS WARMUP INTERVAL; send ADDRESS STREAMS TIME; pong ADDRESS [again]; ping
// ADDRESS TIME WAIT. A ping ends without an answer within WAIT.
func loadMain(args []string) int {
	err := func() error {
		switch args[0] {
		case "recv":
			n, _ := strconv.Atoi(args[2])
			return loadReceive(args[1], n, duration(args[3]), duration(args[4]))
		case "send":
			n, _ := strconv.Atoi(args[2])
			return loadSend(args[1], n, duration(args[3]))
		case "pong":
			return loadPong(args[1], len(args) > 2)
		case "ping":
			return loadPing(args[1], duration(args[2]), duration(args[3]))
		}
		return fmt.Errorf("unknown load %q", args[0])
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// loadReceive counts the bytes of each stream between the first reads after the warm-up and after the interval.
func loadReceive(address string, streams int, warmup, interval time.Duration) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	fmt.Fprintln(os.Stderr, "listening")
	rates := make([]float64, streams)
	bytes := make([]int64, streams)
	var wg sync.WaitGroup
	var start time.Time
	for i := range streams {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		if i == 0 {
			start = time.Now()
		}
		c.SetDeadline(time.Now().Add(warmup + interval + patience))
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer c.Close()
			buf := make([]byte, 1<<20)
			total, first := 0, time.Time{}
			for {
				n, err := c.Read(buf)
				now := time.Now()
				bytes[i] += int64(n)
				if err != nil {
					return
				}
				if first.IsZero() {
					if now.Sub(start) >= warmup {
						first = now
					}
					continue
				}
				total += n
				if now.Sub(first) >= interval {
					rates[i] = float64(total) * 8 / now.Sub(first).Seconds()
					return
				}
			}
		}()
	}
	wg.Wait()
	r := loadResult{}
	for i, v := range rates {
		r.Rate += v
		r.Bytes += bytes[i]
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func dialSoon(address string, patience time.Duration) (net.Conn, error) {
	for end := time.Now().Add(patience); ; {
		c, err := net.DialTimeout("tcp", address, patience)
		if err == nil || time.Now().After(end) {
			return c, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func loadSend(address string, streams int, d time.Duration) error {
	var wg sync.WaitGroup
	for range streams {
		c, err := dialSoon(address, patience)
		if err != nil {
			return err
		}
		c.SetDeadline(time.Now().Add(d))
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer c.Close()
			buf := make([]byte, 1<<20)
			for {
				if _, err := c.Write(buf); err != nil {
					return
				}
			}
		}()
	}
	wg.Wait()
	return nil
}

// loadPong answers one connection, or again one after the other.
func loadPong(address string, again bool) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		io.Copy(c, c)
		c.Close()
		if !again {
			return nil
		}
	}
}

func loadPing(address string, d, wait time.Duration) error {
	c, err := dialSoon(address, wait)
	if err != nil {
		return err
	}
	var times []time.Duration
	buf := make([]byte, 64)
	for end := time.Now().Add(d); time.Now().Before(end); {
		t := time.Now()
		c.SetDeadline(t.Add(wait))
		if _, err := c.Write(buf); err != nil {
			return err
		}
		if _, err := c.Read(buf); err != nil {
			return err
		}
		times = append(times, time.Since(t))
	}
	slices.Sort(times)
	return json.NewEncoder(os.Stdout).Encode(loadResult{P50: times[len(times)/2], P99: times[len(times)*99/100]})
}
