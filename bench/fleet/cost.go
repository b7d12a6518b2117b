//go:build linux

package fleet

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Cost is processor time by part of the deployment.
type Cost struct{ Replicas, Database, Balancer, Load time.Duration }

// Less returns the cost since before.
func (c Cost) Less(before Cost) Cost {
	return Cost{c.Replicas - before.Replicas, c.Database - before.Database, c.Balancer - before.Balancer, c.Load - before.Load}
}

// Per returns the cost of one of n.
func (c Cost) Per(n float64) Cost {
	d := func(t time.Duration) time.Duration { return time.Duration(float64(t) / n) }
	return Cost{d(c.Replicas), d(c.Database), d(c.Balancer), d(c.Load)}
}

// Own returns the cost of the deployment itself, without the load generator.
func (c Cost) Own() time.Duration { return c.Replicas + c.Database + c.Balancer }

func (c Cost) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
	return "replicas " + ms(c.Replicas) + " + database " + ms(c.Database) + " + balancer " +
		ms(c.Balancer) + " ms, and the load itself " + ms(c.Load) + " ms"
}

// Cost returns the processor time until now.
func (f *Fleet) Cost() (c Cost, err error) {
	for _, r := range f.Replicas {
		t, _, err := Used(r.Pid())
		if err != nil {
			return c, err
		}
		c.Replicas += t
	}
	if f.balancer != nil {
		if c.Balancer, _, err = Used(f.balancer.Pid()); err != nil {
			return c, err
		}
	}
	if f.cluster != nil {
		if c.Database, err = UsedByServer(f.cluster.URL); err != nil {
			return c, err
		}
	}
	c.Load = UsedHere()
	return c, nil
}

// Machine returns the busy time of all of this machine's processors together, and their
// total time.
func Machine() (worked, had time.Duration, err error) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	for i, field := range strings.Fields(line)[1:] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		if i > 7 { // time of guests, which the first two contain
			break
		}
		had += time.Duration(n) * tick
		if i != 3 && i != 4 { // idle, waiting for disks
			worked += time.Duration(n) * tick
		}
	}
	return worked, had, nil
}

// UsedHere returns the processor time of this process.
func UsedHere() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Stored returns the size in bytes of both parties' databases, without PostgreSQL's log.
func (f *Fleet) Stored() (size int64, err error) {
	at := filepath.Join(f.Dir, "*", "*.db*")
	if f.cluster != nil {
		u, err := url.Parse(f.cluster.URL)
		if err != nil {
			return 0, err
		}
		at = filepath.Join(u.Query().Get("host"), "data", "base", "*", "*")
	}
	files, err := filepath.Glob(at)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil { // otherwise it has just been deleted
			size += info.Size()
		}
	}
	return size, err
}

// UsedByServer returns the processor time of the PostgreSQL server that listens in a folder,
// including its processes that have ended.
func UsedByServer(databaseURL string) (time.Duration, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return 0, err
	}
	raw, err := os.ReadFile(filepath.Join(u.Query().Get("host"), "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	server, err := strconv.Atoi(line)
	if err != nil {
		return 0, err
	}
	own, ended, err := Used(server)
	if err != nil {
		return 0, err
	}
	total := own + ended
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", server, server))
	if err != nil {
		return 0, err
	}
	for _, child := range strings.Fields(string(children)) {
		pid, _ := strconv.Atoi(child)
		if used, _, err := Used(pid); err == nil { // otherwise it has just ended
			total += used
		}
	}
	return total, nil
}

// tick is the unit of /proc/pid/stat, the same on every Linux that Go runs on.
const tick = time.Second / 100

// Used returns the processor time of a process, and of its children that have ended.
func Used(pid int) (own, ended time.Duration, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // a name may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var n [4]time.Duration
	for i := range n {
		ticks, err := strconv.ParseInt(fields[11+i], 10, 64)
		if err != nil {
			return 0, 0, err
		}
		n[i] = time.Duration(ticks) * tick
	}
	return n[0] + n[1], n[2] + n[3], nil
}
