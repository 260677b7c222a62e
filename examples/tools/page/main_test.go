//go:build unix

package main

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/clusters"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/forecasts"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/plans"
)

var built = sync.OnceValues(func() ([]file, error) { return build(context.Background()) })

// served is the address of the page, for all tests.
var served = sync.OnceValues(func() (string, error) {
	files, err := built()
	if err != nil {
		return "", err
	}
	return httptest.NewServer(handler(files)).URL + "/", nil // ends with the tests
})

// visit opens the page in a tab, at a room, and waits for its first picture.
func visit(t *testing.T, name string) *browser {
	t.Helper()
	b := open(t)
	var err error
	if b.home, err = served(); err != nil {
		t.Fatal(err)
	}
	b.size(1366, 900)
	b.visit(b.home + "#" + name)
	b.until("typeof P !== 'undefined' && P.rooms && P.timings.firstPicture", time.Minute)
	return b
}

// rest waits until no question is under way.
func (b *browser) rest() {
	b.t.Helper()
	b.until("P.engine.quiet()", time.Minute)
}

// rooms are the rooms of the page, and questions that each asks at its beginning.
var rooms = []struct {
	name, title string
	asked       []string
}{
	{"reserve", "What should you reserve, and when?", []string{"reserve", "reserve/rules", "reserve/unsure"}},
	{"forecast", "What comes next, and how sure is that?", []string{"forecast", "forecast/backtest", "forecast/runaway"}},
	{"cluster", "When should a cluster grow, and when shrink?", []string{"cluster", "cluster/compare"}},
	{"takeback", "Which nodes should you give back?", []string{"takeback"}},
	{"federation", "Who should lend to whom?", []string{"federation", "federation/optimum"}},
}

// One visitor of the page goes through its rooms, drags a demand, and mistypes. Each of the
// three may also be run alone.
func TestPage(t *testing.T) {
	b := visit(t, "reserve")
	for _, part := range []struct {
		name string
		does func(*testing.T, *browser)
	}{{"Rooms", inRooms}, {"Drag", dragging}, {"BadInput", badInput}} {
		t.Run(part.name, func(t *testing.T) {
			b.t = t
			part.does(t, b)
		})
	}
	b.t = t
	if got := b.console(); len(got) > 0 {
		t.Errorf("the console says %q", got)
	}
}

// Every room loads without a word of the console, without a request to elsewhere, and
// computes what the library computes natively, byte for byte.
func inRooms(t *testing.T, b *browser) {
	b.mu.Lock()
	transferred := b.bytes
	b.mu.Unlock()
	var first float64
	b.eval("P.timings.firstPicture", &first)
	for _, r := range rooms {
		t.Run(r.name, func(t *testing.T) {
			b.t = t
			b.eval(fmt.Sprintf("location.hash = %q", r.name), nil)
			b.until(fmt.Sprintf("%s.every((n) => P.heard[n])", quoted(r.asked)), time.Minute)
			b.rest()
			var title string
			b.eval(fmt.Sprintf("document.querySelector('#room-%s h1').innerText", r.name), &title)
			if title != r.title {
				t.Errorf("the room is %q, want %q", title, r.title)
			}
			b.same()
			for _, width := range []int{380, 1024, 1920} {
				b.size(width, 900)
				b.rest()
				var wrong []string
				b.eval(layout, &wrong)
				for _, w := range wrong {
					t.Errorf("%d pixels: %s", width, w)
				}
				b.shoot(fmt.Sprintf("%s-%d", r.name, width))
			}
			// On paper.
			b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
			b.size(760, 1000)
			b.rest()
			var wrong []string
			b.eval(layout, &wrong)
			for _, w := range wrong {
				t.Errorf("on paper: %s", w)
			}
			b.shoot("print-" + r.name)
			b.call("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)
			b.size(1366, 900)
		})
	}
	b.t = t
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, url := range b.requests {
		if !strings.HasPrefix(url, b.home) && !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, "data:") {
			t.Errorf("a request to %s", url)
		}
	}
	t.Logf("%d bytes and %.1f s to the first picture", transferred, first/1000)
	// By the files themselves: all but the scripts for folders, and one part of the library.
	files, err := built()
	if err != nil {
		t.Fatal(err)
	}
	page, part := 0, 0
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.name, ".wasm.gz"):
			t.Logf("%s: %d bytes", f.name, len(f.data))
			part = max(part, len(f.data))
		case !strings.HasSuffix(f.name, ".wasm.js"):
			page += len(compress(f.data))
		}
	}
	t.Logf("the page: %d bytes", page)
	if page+part > 1_500_000 {
		t.Errorf("%d bytes for the page with the largest part of the library, want at most 1.5 MB", page+part)
	}
	if transferred > 1_500_000 || transferred < 100_000 {
		t.Errorf("%d bytes to the first picture, want at most 1.5 MB", transferred)
	}
}

func quoted(list []string) string { return strings.ReplaceAll(fmt.Sprintf("%q", list), `" "`, `", "`) }

// same compares the last answer to each kind of question with what the library says here.
func (b *browser) same() {
	b.t.Helper()
	var heard map[string]struct{ Question, Text string }
	b.eval("P.heard", &heard)
	all := ask.Rooms{}
	maps.Copy(all, plans.Rooms)
	maps.Copy(all, forecasts.Rooms)
	maps.Copy(all, clusters.Rooms)
	for name, h := range heard {
		if diff := cmp.Diff(h.Text, string(all.Answer(name, []byte(h.Question)))); diff != "" {
			b.t.Errorf("%s: the browser and the library differ: %.1000s", name, diff)
		}
		if strings.Contains(h.Text, `"error"`) {
			b.t.Errorf("%s: %.300s", name, h.Text)
		}
	}
}

// layout returns what is cut or overlaps.
const layout = `(() => {
  const wrong = [], seen = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden';
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is ' + document.documentElement.scrollWidth + ' pixels wide');
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, s = walk.currentNode.textContent.trim();
    if (!s || !seen(e) || e.closest('option, script, style, textarea, .skip, .sr, noscript') || e.closest('details:not([open])') && !e.closest('summary')) continue;
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    const scroll = e.closest('.scroll');
    for (const r of range.getClientRects()) {
      if (r.width < 1 || scroll) continue;
      const name = JSON.stringify(s.slice(0, 40));
      if (r.left < -1 || r.right > innerWidth + 1) wrong.push('cut: ' + name + ' from ' + Math.round(r.left) + ' to ' + Math.round(r.right));
      for (let p = e; p; p = p.parentElement) {
        const style = getComputedStyle(p), box = p.getBoundingClientRect();
        if (style.overflowX !== 'visible' && p.tagName !== 'svg' && (r.right > box.right + 1 || r.left < box.left - 1)) { wrong.push('cut by ' + p.className + ': ' + name); break; }
      }
      texts.push({name, r, e});
    }
  }
  for (const select of document.querySelectorAll('select, input[type=text]')) {
    if (seen(select) && select.scrollWidth > select.clientWidth + 1) wrong.push('cut: the field ' + select.id);
  }
  texts.sort((a, b) => a.r.top - b.r.top);
  for (let i = 0; i < texts.length; i++) for (let k = i + 1; k < texts.length && texts[k].r.top < texts[i].r.bottom; k++) {
    const a = texts[i].r, b = texts[k].r;
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (x > 1.5 && y > 4) wrong.push(texts[i].name + ' overlaps ' + texts[k].name);
  }
  return wrong.slice(0, 20);
})()`

// A drag on a year of hours is answered, and its picture painted, within 100 ms of the hand's
// move. Beside each drag stands an echo: a piece of work that never changes takes the way of a
// drag, to a worker, back, and onto the screen. A drag takes about twice as long as an echo,
// whatever else the machine does. Where three echoes take more than 100 ms, on a slow or busy
// machine, a drag may take as long as they do: the last nine drags count, of up to sixty.
func dragging(t *testing.T, b *browser) {
	b.eval("location.hash = 'reserve'", nil)
	b.until("P.room === 'reserve' && P.heard.reserve", time.Minute)
	b.rest()
	b.eval("addEventListener('pointermove', () => { P.moved = performance.now(); }, true)", nil)
	b.eval(`P.echo = (() => {
  const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = () => { let h = 1; for (let i = 0; i < 1.2e7; i++) h = Math.imul(h ^ i, 16777619); postMessage(h); }'], {type: 'text/javascript'})));
  return () => new Promise((done) => {
    const start = performance.now();
    worker.onmessage = () => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
    worker.postMessage(0);
  });
})(); 0`, nil)
	var box struct{ X, Y, W, H float64 }
	b.eval(`(() => { const e = P.id('reserve-picture'); e.scrollIntoView({block: 'start'}); const r = e.getBoundingClientRect(); return {X: r.left, Y: r.top, W: r.width, H: r.height}; })()`, &box)
	mouse := func(kind string, x, y float64) {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}, nil)
	}
	var before string
	b.eval("P.heard.reserve.text.slice(0, 60)", &before)
	x, y := box.X+box.W*.45, box.Y+180
	mouse("mousePressed", x, y)
	var painted, work, echoes []float64
	median := func(all []float64) float64 {
		last := slices.Sorted(slices.Values(all[max(0, len(all)-9):]))
		return last[len(last)/2]
	}
	limit := 0.
	for i := range 60 {
		b.eval("P.timings.answers.length = 0", nil)
		mouse("mouseMoved", x, y-float64(3*(i%30+1)))
		b.until("P.timings.answers.some((a) => a.cause === 'drag' && a.painted)", time.Minute)
		var drag struct{ Painted, Work, Echo float64 }
		b.eval("P.echo().then((echo, a = P.timings.answers[0]) => ({Painted: a.asked + a.painted - P.moved, Work: a.work, Echo: echo}))", &drag)
		painted, work, echoes = append(painted, drag.Painted), append(work, drag.Work), append(echoes, drag.Echo)
		limit = max(100, 3*median(echoes))
		if i >= 8 && median(painted) < limit {
			break
		}
	}
	mouse("mouseReleased", x, y-48)
	b.rest()
	b.same()
	var after string
	b.eval("P.heard.reserve.text.slice(0, 60)", &after)
	if before == after {
		t.Errorf("the drag has changed nothing: %s", before)
	}
	t.Logf("%d drags, the last 9 painted after a median of %.0f ms, the work alone %.0f, an echo %.0f; quickest %.0f, %.0f, %.0f",
		len(painted), median(painted), median(work), median(echoes), slices.Min(painted), slices.Min(work), slices.Min(echoes))
	if median(painted) >= limit {
		t.Errorf("the answers to nine drags were painted after a median of %.0f ms, want less than %.0f", median(painted), limit)
	}
}
