package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// most is how many nodes are prepared at a time.
const most = 16

// provision runs the command of -provision for each node that is granted, until ctx is
// done. The partition hears of the node when the command has succeeded. After a failure or
// the time of -provision-timeout, the node is not granted for -provision-wait, and the
// partition may get another one. A host that is started again runs the command again.
func (h *host) provision(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	var mu sync.Mutex
	running := map[int]bool{}
	slots := make(chan struct{}, most)
	var todo []exchange.Assignment
	for ctx.Err() == nil {
		h.mu.Lock()
		todo = h.state.Manager.AppendUnprepared(todo[:0])
		h.mu.Unlock()
		for _, u := range todo {
			mu.Lock()
			busy := running[u.Node]
			running[u.Node] = true
			mu.Unlock()
			if busy {
				continue // for this lease, or still for the one before
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			group.Go(func() {
				h.prepare(ctx, u)
				mu.Lock()
				delete(running, u.Node)
				mu.Unlock()
				<-slots
				offer(h.prepared, struct{}{})
			})
		}
		select {
		case <-ctx.Done():
		case <-h.prepared:
		}
	}
}

// prepare runs the command for a node.
func (h *host) prepare(ctx context.Context, u exchange.Assignment) {
	limit, cancel := context.WithTimeout(ctx, h.o.provisionTimeout)
	defer cancel()
	cmd := exec.CommandContext(limit, h.o.provision)
	cmd.Env = append(os.Environ(), fmt.Sprint("PARTTIME_NODE=", u.Node), "PARTTIME_PARTITION="+u.Partition, "PARTTIME_KIND="+u.Kind,
		fmt.Sprint("PARTTIME_LEASE=", u.Epoch))
	said := new(head)
	cmd.Stdout, cmd.Stderr = said, said // as they are one, one goroutine writes
	cmd.WaitDelay = time.Second         // for what the command has started and left
	alone(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		return // the host ends; the next one runs the command again
	}
	if limit.Err() != nil {
		err = fmt.Errorf("it was ended after %v", h.o.provisionTimeout)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has succeeded, and left something that still has its output
	}
	h.outcome(u, err, strings.TrimSpace(said.b.String()))
}

// outcome tells the manager how the preparation of a node went.
func (h *host) outcome(u exchange.Assignment, err error, said string) {
	if err != nil {
		h.log.printf("cannot prepare node %d for %s: %v: %s", u.Node, u.Partition, err, exchangehttp.Printable(said, 300))
	}
	for {
		_, e := h.step("", func(now time.Duration) ([]exchange.Message, error) {
			if err != nil {
				return h.state.Manager.PrepareFailed(now, u.Node, u.Epoch, h.o.provisionWait)
			}
			return h.state.Manager.Prepared(now, u.Node, u.Epoch)
		})
		if e == nil || h.ctx.Err() != nil {
			return
		}
		sleep(h.ctx, time.Second) // the disk is full
	}
}

// head is a writer that keeps the first 1000 bytes.
type head struct{ b bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 1000 - h.b.Len(); room > 0 {
		h.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
