package lab

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// loadCommand makes the test binary a small TCP load inside the lab.
const loadCommand = "test-load"

// loadResult is what a receiver or a pinger prints.
type loadResult struct {
	Rate    float64 // bits per second of payload in the window
	Retrans int64
	P50     time.Duration
	P99     time.Duration
}

// loadMain is one of: recv ADDRESS STREAMS WARMUP WINDOW; send ADDRESS STREAMS TIME; pong ADDRESS; ping ADDRESS TIME.
// A ping gives up when nothing answers for a second.
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
			return loadPong(args[1])
		case "ping":
			return loadPing(args[1], duration(args[2]))
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

// loadReceive counts, for each stream, what arrives between the first reads after warm-up and after the window.
func loadReceive(address string, streams int, warmup, window time.Duration) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintln(os.Stderr, "listening")
	rates := make([]float64, streams)
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
		c.SetDeadline(time.Now().Add(warmup + window + 10*time.Second))
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer c.Close()
			buf := make([]byte, 1<<20)
			total, first := 0, time.Time{}
			for {
				n, err := c.Read(buf)
				now := time.Now()
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
				if now.Sub(first) >= window {
					rates[i] = float64(total) * 8 / now.Sub(first).Seconds()
					return
				}
			}
		}()
	}
	wg.Wait()
	r := loadResult{}
	for _, v := range rates {
		r.Rate += v
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
		c, err := dialSoon(address, 5*time.Second)
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

func loadPong(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second))
	c, err := l.Accept()
	if err != nil {
		return err
	}
	buf := make([]byte, 64)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return nil
		}
		c.Write(buf[:n])
	}
}

func loadPing(address string, d time.Duration) error {
	c, err := dialSoon(address, time.Second)
	if err != nil {
		return err
	}
	var times []time.Duration
	buf := make([]byte, 64)
	for end := time.Now().Add(d); time.Now().Before(end); {
		t := time.Now()
		c.SetDeadline(t.Add(5 * time.Second))
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
