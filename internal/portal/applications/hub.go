package applications

import (
	"context"
	"slices"
	"sync"
	"time"

	"vestibule/internal/httpx"
)

// hub wakes the streams of changed applications. While there are subscribers, one
// query each checkInterval finds the changes of all processes; changes of this process
// wake streams at once. Without subscribers nothing runs.
type hub struct {
	mu     sync.Mutex
	subs   map[string]map[chan struct{}]struct{}
	count  int
	each   map[string]int // streams by client's network
	cancel context.CancelFunc
	ended  chan struct{} // closed by Close; created on first use
	closed bool
}

// changesFunc returns the applications updated after an instant: versions by ID, and the
// newest update time.
type changesFunc func(ctx context.Context, since time.Time) (map[string]int64, time.Time, error)

const (
	checkInterval = 400 * time.Millisecond
	// The clocks of replicas differ, and a transaction commits after its timestamp
	// was taken: the query looks back this far. If a clock is further behind, the
	// stream's next heartbeat finds the change.
	checkOverlap = 5 * time.Second
	maxStreams   = 2000
	// Allows more streams than one person has tabs, but keeps one application from
	// using up all streams.
	maxStreamsEach = 20
	// Allows an office behind one address, but keeps one client from using up all streams.
	// The pages without a stream poll.
	maxStreamsOfClient = 100
)

// subscribe returns a channel that receives a value whenever the application may have
// changed, or nil if there are too many streams or the portal is stopping. Streams of a client
// without networks are not counted by client.
func (h *hub) subscribe(id string, client []httpx.Network, start time.Time, changes changesFunc) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.count >= maxStreams || len(h.subs[id]) >= maxStreamsEach ||
		slices.ContainsFunc(client, func(n httpx.Network) bool { return h.each[n.Name] >= maxStreamsOfClient*n.Share }) {
		return nil, nil
	}
	if h.subs == nil {
		h.subs, h.each = map[string]map[chan struct{}]struct{}{}, map[string]int{}
	}
	if h.subs[id] == nil {
		h.subs[id] = map[chan struct{}]struct{}{}
	}
	c := make(chan struct{}, 1)
	h.subs[id][c] = struct{}{}
	for _, n := range client {
		h.each[n.Name]++
	}
	if h.count++; h.count == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		h.cancel = cancel
		go h.run(ctx, start, changes)
	}
	return c, func() { h.unsubscribe(id, client, c) }
}

func (h *hub) unsubscribe(id string, client []httpx.Network, c chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs[id], c)
	if len(h.subs[id]) == 0 {
		delete(h.subs, id)
	}
	for _, n := range client {
		if h.each[n.Name]--; h.each[n.Name] == 0 {
			delete(h.each, n.Name)
		}
	}
	if h.count--; h.count == 0 {
		h.cancel()
	}
}

// Wake wakes the streams of one application.
func (h *hub) Wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subs[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (h *hub) run(ctx context.Context, newest time.Time, changes changesFunc) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	known := map[string]int64{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		found, at, err := changes(ctx, newest.Add(-checkOverlap))
		if err != nil {
			continue // the database is unavailable; a later query finds the changes
		}
		newest = at
		for id, version := range found {
			if known[id] != version {
				h.Wake(id)
			}
		}
		known = found
	}
}

// Done is closed when the portal stops.
func (h *hub) Done() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ending()
}

func (h *hub) ending() chan struct{} {
	if h.ended == nil {
		h.ended = make(chan struct{})
	}
	return h.ended
}

// Close ends every stream and rejects new ones. Call it first when the portal stops.
func (h *hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.ending())
	}
}

// Subscribe returns a channel that receives a value whenever the application may have
// changed, and a function that ends the subscription. Both are nil if there are too
// many subscriptions, of all or of the client's networks, or the portal is stopping. A client
// without networks has no limit of its own.
func (s *Service) Subscribe(id string, client []httpx.Network) (<-chan struct{}, func()) {
	return s.subscribe(id, client, s.now(), s.changedSince)
}
