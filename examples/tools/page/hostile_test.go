//go:build unix

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Bad input is a sentence beside the field, and the last good picture stays.
func badInput(t *testing.T, b *browser) {
	b.eval("location.hash = 'reserve'", nil)
	b.until("P.room === 'reserve'", time.Minute)
	b.rest()
	// set types a text into a field of the form.
	set := func(id, text string) {
		b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})); })()`, id, text), nil)
	}
	wrong := func(id string) (text string) {
		b.eval(fmt.Sprintf("document.getElementById(%q)?.textContent ?? 'there is no place for a sentence'", id), &text)
		return text
	}
	picture := func(id string) (text string) {
		b.eval(fmt.Sprintf("document.getElementById(%q).innerHTML", id), &text)
		if len(text) < 1000 {
			t.Errorf("there is no picture in %s", id)
		}
		return text
	}
	// Of two months, so that each answer is quick: the room begins with a year.
	b.eval(fmt.Sprintf("document.getElementById('paste-reserve-demand').closest('details').take(new File(['n\\n' + '4\\n5\\n7\\n6\\n'.repeat(%d)], 'd.csv'))", 60*24/4), nil)
	b.until("P.heard.reserve.question.length < 10000", time.Minute)
	b.rest()
	before := picture("reserve-picture")
	for _, c := range []struct{ field, bad, good, want string }{
		{"classes-0-term", "0", "7", "length of time above 0"},
		{"classes-0-term", "-3", "7", "above 0"},
		{"classes-1-term", "soon", "30", "is no length of time"},
		{"classes-1-term", "0.01", "30", "want at least a slot"},
		{"classes-2-term", "1e300", "90", "at most 100 years"},
		{"classes-2-upfront", "-540", "540", "negative"},
		{"classes-2-upfront", "540 or so", "540", "is no price"},
		{"classes-2-upfront", "99999999999999999999", "540", "is no price"},
		{"classes-0-hourly", "0.00000000001", "0", "at most 9 decimals"},
		{"on_demand", "0", "0.4", "above 0"},
		{"on_demand", "<b>x</b>", "0.4", "is no price"},
	} {
		set("f-reserve-"+c.field, c.bad)
		b.until(fmt.Sprintf("document.getElementById('wrong-reserve-%s').textContent.includes(%q)", c.field, c.want), 20*time.Second)
		if got := wrong("wrong-reserve-" + c.field); strings.Count(got, ". ") > 0 || !strings.HasSuffix(got, ".") {
			t.Errorf("%s of %q: %q is not one sentence", c.field, c.bad, got)
		}
		if picture("reserve-picture") != before {
			t.Errorf("%s of %q: the last good picture has gone", c.field, c.bad)
		}
		set("f-reserve-"+c.field, c.good)
		b.until(fmt.Sprintf("document.getElementById('wrong-reserve-%s').textContent === ''", c.field), 20*time.Second)
	}

	// Texts and files that are no demand, no prices, no series, no jobs.
	drop := func(room, form, js string) {
		b.eval(fmt.Sprintf("document.getElementById('paste-%s-%s').closest('details').take(%s)", room, form, js), nil)
	}
	file := func(name, text string) string {
		return fmt.Sprintf("new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q)", base64.StdEncoding.EncodeToString([]byte(text)), name)
	}
	for _, c := range []struct{ room, picture, form, js, want string }{
		{"reserve", "reserve-picture", "demand", file("d.csv", "instances\n4\n-3\n"), "-3: want a demand"},
		{"reserve", "reserve-picture", "demand", file("d.csv", "hello\nworld\n"), "line 2"},
		{"reserve", "reserve-picture", "demand", file("d.csv", "\x00\xff\xfe"), "d.csv"},
		{"reserve", "reserve-picture", "demand", file("d.gz", "\x1f\x8b\x08\x00"), "cut off"},
		{"reserve", "reserve-picture", "demand", file("d.csv", "n\n"+strings.Repeat("1\n", 50_000)), "at most 43,800"},
		{"reserve", "reserve-picture", "demand", file("d.csv", "n\n999999999999\n"), "d.csv"},
		{"reserve", "reserve-picture", "demand", "{name: 'big.csv', size: 100 * 2 ** 20}", "100 MiB"},
		{"reserve", "reserve-picture", "classes", file("c.json", `{"on_demand": -1, "classes": []}`), "c.json"},
		{"reserve", "reserve-picture", "classes", file("c.json", "pasted nonsense"), "line 1"},
		{"forecast", "forecast-picture", "series", file("s.csv", "week,value\n1,abc\n"), "s.csv"},
		{"forecast", "forecast-picture", "series", file("s.csv", "week,value\n1,1\n2,2\n"), "at least 4"},
		{"forecast", "forecast-picture", "series", file("s.csv", "week,value\n1,1e300\n2,1e300\n3,1\n4,1\n5,1\n6,1\n7,1\n"), "want a number"},
		{"cluster", "cluster-picture", "jobs", file("l.swf", "nonsense\n"), "line 1"},
		{"cluster", "cluster-picture", "jobs", file("l.swf", "1 0 -1 -1 4 -1 -1 4 900 -1 0 1 -1 -1 -1 -1 -1 -1\n"), "none of its"},
		{"cluster", "cluster-picture", "jobs", file("l.swf", "1 0 -1 60 99999 -1 -1 4 900 -1 1 1 -1 -1 -1 -1 -1 -1\n"), "at most 4096"},
		{"takeback", "takeback-tiles", "jobs", file("l.swf", "1 0 -1 60 2000 -1 -1 4 900 -1 1 1 -1 -1 -1 -1 -1 -1\n"), "at most 400"},
		{"federation", "federation-picture", "jobs", file("l.swf", "; nothing\n"), "no job"},
	} {
		b.eval(fmt.Sprintf("location.hash = %q", c.room), nil)
		b.until(fmt.Sprintf("P.room === %q && document.getElementById(%q).innerHTML.length > 1000", c.room, c.picture), time.Minute)
		b.rest()
		before := picture(c.picture)
		drop(c.room, c.form, c.js)
		b.until(fmt.Sprintf("document.getElementById('wrong-%s-%s').textContent.includes(%q)", c.room, c.form, c.want), 30*time.Second)
		b.rest()
		if picture(c.picture) != before {
			t.Errorf("%s: %s: the last good picture has gone", c.room, c.js[:min(80, len(c.js))])
		}
	}
	for _, c := range []struct{ room, field, bad, good, want string }{
		{"forecast", "horizon", "0", "52", "whole number"}, {"forecast", "level", "120", "90", "probability"}, {"forecast", "season", "-4", "", "whole number"}, {"forecast", "gamma", "2", "0.3", "from 0 to 1"},
		{"cluster", "wait_limit", "-1", "5", "minutes"}, {"cluster", "wait_limit", "forever", "5", "minutes"},
		{"takeback", "take", "1000", "12", "whole number"}, {"takeback", "grace", "-5", "10", "minutes"}, {"takeback", "saves", "0", "", "more minutes"},
		{"federation", "centres-0-reserved", "-1", "18", "whole number"}, {"federation", "centres-1-on_demand", "x", "0.06", "is no price"},
	} {
		b.eval(fmt.Sprintf("location.hash = %q", c.room), nil)
		b.until(fmt.Sprintf("P.room === %q", c.room), time.Minute)
		at := fmt.Sprintf("document.getElementById('wrong-%s-%s').textContent", c.room, c.field)
		set("f-"+c.room+"-"+c.field, c.bad)
		b.until(fmt.Sprintf("%s.includes(%q)", at, c.want), 30*time.Second)
		set("f-"+c.room+"-"+c.field, c.good)
		b.until(at+" === ''", 30*time.Second)
	}
}

// What -o writes works from a folder, and leaves nothing else there.
func TestFolder(t *testing.T) {
	b := open(t)
	files, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new", "page")
	if err := write(dir, files); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != len(files) {
		t.Errorf("%d files, want %d, %v", len(list), len(files), err)
	}
	b.size(1024, 800)
	for i, r := range rooms[:3] { // of each part of the library one
		if i == 0 {
			b.visit("file://" + dir + "/index.html#" + r.name)
		} else {
			b.eval(fmt.Sprintf("location.hash = %q", r.name), nil)
		}
		b.until(fmt.Sprintf("typeof P !== 'undefined' && %s.every((n) => P.heard[n])", quoted(r.asked)), time.Minute)
	}
	if got := b.console(); len(got) > 0 {
		t.Errorf("the console says %q", got)
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "about:") {
			t.Errorf("a request to %s", url)
		}
	}
}

// An accessibility checker has no serious findings, light and dark. PLIMSOLL_AXE names its
// file axe.min.js, which npm has in the package axe-core.
func TestAccessible(t *testing.T) {
	script, err := os.ReadFile(os.Getenv("PLIMSOLL_AXE"))
	if err != nil {
		t.Skip("PLIMSOLL_AXE does not name axe.min.js of the npm package axe-core")
	}
	b := visit(t, "reserve")
	b.call("Page.setBypassCSP", map[string]any{"enabled": true}, nil)
	b.eval(string(script)+"; 0", nil)
	for _, theme := range []string{"light", "dark"} {
		b.eval(fmt.Sprintf("document.documentElement.dataset.theme = %q", theme), nil)
		for _, r := range rooms {
			b.eval(fmt.Sprintf("location.hash = %q", r.name), nil)
			b.until(fmt.Sprintf("P.room === %q && %s.every((n) => P.heard[n])", r.name, quoted(r.asked)), time.Minute)
			b.rest()
			b.eval("document.querySelectorAll('main details').forEach((d) => { d.open = true; })", nil)
			b.rest()
			var found []string
			b.eval(`axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => v.impact + ' ' + v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + n.html.slice(0, 120)).join(' | ')))`, &found)
			for _, f := range found {
				if strings.HasPrefix(f, "serious") || strings.HasPrefix(f, "critical") {
					t.Errorf("%s, %s: %s", r.name, theme, f)
				} else {
					t.Logf("%s, %s: %s", r.name, theme, f)
				}
			}
			if theme == "dark" {
				b.eval("document.querySelectorAll('main details').forEach((d) => { d.open = false; })", nil)
				b.shoot("dark-" + r.name)
			}
		}
	}
}
