//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vestibule/bench/fleet"
)

// replicaFigures measures the throughput of three replicas behind a balancer on PostgreSQL, beside one replica, at full load
// with journeys of all kinds. First each replica may use all processors, with jobs in all replicas and in one; then each has
// a share of the processors, as on separate machines. Both deployments run at the same time and get requests in turns.
func replicaFigures(ctx context.Context, dir string) ([]figure, error) {
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	var all []figure
	for _, c := range []struct {
		workers     int
		share       float64
		how, wanted string
	}{
		{0, 0, "on the same processors", "reported"},
		{1, 0, "same, jobs by one of them", "reported"},
		{0, 0.2, "each on 0.2 of one", "≥ 1.50"},
	} {
		pace, cost, err := replicasOn(ctx, bin, c.workers, c.share)
		if err != nil {
			return nil, err
		}
		all = append(all, compareRates("journeys, three replicas / one, "+c.how, c.wanted, pace[0], pace[1]),
			compare("their processor time a journey, same", "reported", millis, cost[0], cost[1]))
	}
	return all, nil
}

// replicasOn returns nanoseconds a journey, and those of processors without the load's.
func replicasOn(ctx context.Context, bin string, workers int, share float64) (pace, cost [2]series, err error) {
	const rounds, lasts, crowd = 5, 4 * time.Second, 40
	var loads [2]*fleet.Load
	var fleets [2]*fleet.Fleet
	for i, n := range []int{3, 1} {
		f, err := fleet.Launch(ctx, fleet.Options{Bin: bin, Replicas: n, Workers: min(workers, n), Balanced: true, Share: share})
		if err != nil {
			return pace, cost, err
		}
		defer f.Stop()
		fleets[i] = f
		if loads[i], err = fleet.NewLoad(f); err != nil {
			return pace, cost, err
		}
	}
	for round := range rounds + 1 {
		for turn := range fleets {
			who := (round + turn) % len(fleets)
			before, err := fleets[who].Cost()
			if err != nil {
				return pace, cost, err
			}
			ended, took := loads[who].Crowd(ctx, crowd, lasts)
			after, err := fleets[who].Cost()
			if err != nil {
				return pace, cost, err
			}
			if ended == 0 || len(loads[who].Errs) > 0 {
				return pace, cost, errors.Join(ctx.Err(), fmt.Errorf("%d journeys ended, others failed: %v", ended, loads[who].Errs))
			}
			if round > 0 { // the first one warms up
				pace[who] = append(pace[who], float64(took)/float64(ended))
				cost[who] = append(cost[who], float64(after.Less(before).Per(float64(ended)).Own()))
			}
		}
	}
	return pace, cost, nil
}
