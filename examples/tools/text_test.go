package tools_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A sample is an input of a tool. In args @ stands for the file and ! for the folder of outputs.
type sample struct {
	name, args, text string
	made             bool // the tool can use it as it is
}

const focusBill = `ChargePeriodStart,ChargePeriodEnd,BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargeCategory,ChargeClass,PricingCategory,ServiceName,RegionId,SkuId,SkuMeter,ConsumedQuantity,ConsumedUnit,ProviderName,SubAccountId,ResourceType,x_InstanceType,ChargeDescription
2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,0.192,0.192,0.192,USD,Usage,,Standard,Amazon EC2,eu-west-1,SKU1,BoxUsage:m5.xlarge,1,Hours,AWS,1234,m5.xlarge,m5.xlarge,a text
2026-10-01T01:00:00Z,2026-10-01T02:00:00Z,0.192,0.192,0.192,USD,Usage,,Standard,Amazon EC2,eu-west-1,SKU1,BoxUsage:m5.xlarge,1,Hours,AWS,1234,m5.xlarge,m5.xlarge,a text
`

const swfLog = `; Version: 2.2
; Computer: A Machine
; MaxNodes: 8
1 0 5 3600 4 -1 -1 4 4000 -1 1 1 1 1 1 1 -1 -1
2 60 5 1800 2 -1 -1 2 4000 -1 1 2 1 1 1 1 -1 -1
3 90 5 600 8 -1 -1 8 900 -1 1 1 1 1 1 1 -1 -1
`

const sacctTable = `JobID|User|Account|Partition|QOS|State|Submit|Start|End|NNodes|NCPUS|Timelimit
1|ann|physics|main|normal|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:01:00|2026-10-01T01:00:00|2|8|02:00:00
2|bob|biology|main|high|FAILED|2026-10-01T00:10:00|2026-10-01T00:11:00|2026-10-01T00:50:00|1|4|01:00:00
`

const classList = `{"on_demand": 0.40, "classes": [
  {"name": "1y", "term": "8736h", "upfront": 2100, "hourly": 0, "billed": "always"}]}
`

// series returns 32 weeks of the given series.
func series(names ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "week,%s\n", strings.Join(names, ","))
	for w := range 32 {
		fmt.Fprint(&b, w+1)
		for i := range names {
			fmt.Fprintf(&b, ",%d", 3+i+w%4)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// samples are small inputs of each form that the tools read, and of the reference material.
func samples(t *testing.T) []sample {
	list := []sample{
		{name: "demand", args: "plan -demand @ -purchases -svg !/a.svg", text: "day,demand\n2026-10-01,3\n2026-10-02,4\n2026-10-03,4\n"},
		{name: "classes", args: "plan -classes @ -purchases -json", text: classList},
		{name: "paths", args: "plan -paths @ -slot 1h -purchases", text: "a,b,c\n1,2,3\n3,4,5\n0,1,1\n"},
		{name: "held", args: "plan -slot 1h -held @", text: `[{"class": "1y", "count": 3, "until": "2000h"}]`},
		{name: "series", args: "forecast -demand @ -steps 3 -forecast !/f.csv -series fleet -paths-out !/p.csv -svg !/f.svg", text: series("fleet", "other")},
		{name: "order", args: "advise -demand @ -html !/a.html -focus !/o.csv", text: series("fleet")},
		{name: "bill, json", args: "advise -bill @ -show inputs -json", text: focusBill},
		{name: "log", args: "sec -trace @ -jobs !/j.csv -users !/u.csv -demand !/d.csv -svg !/s.svg -mode sec", text: swfLog},
		{name: "accounting", args: "sec -trace @ -users !/u.csv -mode sec", text: sacctTable},
		{name: "accounting, elastic", args: "elastic -trace @ -policy od -json", text: sacctTable},
		{name: "accounting, preempt", args: "preempt -trace @ -json", text: sacctTable},
		{name: "weights", args: "sec -weights @", text: "hour,1\nnode,2\n"},
		{name: "clouds", args: "elastic -clouds @ -policy od", text: "name,price,limit,reject\nprivate,0,16,0.1\npublic,0.1,,0\n"},
		{name: "profile", args: "cap3 -profile @ -svg !/c.svg", text: "application,case,processes,seconds,cells\nlu,a,1,10,1000\nlu,a,2,5.5,1000\nlu,b,1,42,4000\nlu,b,2,22,4000\nlu,b,4,12,4000\n"},
		{name: "spot prices", args: "cap3 -spot @", text: "Timestamp,InstanceType,AvailabilityZone,ProductDescription,SpotPrice\n2026-10-01T00:00:00Z,m5.xlarge,eu-west-1a,Linux/UNIX,0.07\n2026-10-02T00:00:00Z,m5.xlarge,eu-west-1a,Linux/UNIX,0.08\n"},
		{name: "centres", args: "federation -prices @", text: `[{"name": "east", "on_demand": 0.075, "reservation": 0.80, "traffic": 0.02, "latitude": 49.5, "longitude": 5.95},
 {"name": "west", "on_demand": 0.065, "reservation": 0.70, "traffic": 0.02, "latitude": 40, "longitude": -74},
 {"name": "north", "on_demand": 0.06, "reservation": 0.75, "traffic": 0.02, "latitude": 60, "longitude": 10}]`},
	}
	for i := range list {
		list[i].made = true
	}
	dir := os.Getenv("PLIMSOLL_SHARED")
	if dir == "" {
		t.Log("PLIMSOLL_SHARED is not set: only made-up inputs")
		return list
	}
	files, err := filepath.Glob(filepath.Join(dir, "inputs", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		args := "advise -bill @ -show quality"
		switch filepath.Base(filepath.Dir(f)) {
		case "lsf", "pbs", "sacct":
			args = "sec -trace @ -mode sec -users !/u.csv"
		case "aws-offer":
			args = "advise -prices @"
		case "kubecost":
			continue // a reader in a module of its own
		}
		if text := head(t, f); text != "" {
			list = append(list, sample{name: filepath.Base(f), args: args, text: text})
		}
	}
	return list
}

// head returns the first lines of a text file, plain or gzip, and JSON of some size whole; "" for others.
func head(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil || !utf8.Valid(data) || strings.HasSuffix(file, "SOURCE.txt") {
		return ""
	}
	if data[0] == '{' || data[0] == '[' {
		if len(data) > 200_000 {
			return ""
		}
		return string(data)
	}
	lines := bytes.SplitAfterN(data, []byte("\n"), 5)
	return string(bytes.Join(lines[:min(4, len(lines))], nil))
}

var token = regexp.MustCompile("[^,\\s\"|;{}\\[\\]:]+")

// Text of others is shown and not obeyed: a control character, and the beginning of a formula, go through
// each field of each form of input, one at a time, and no output has them. With PLIMSOLL_LONG=1 that is
// every field; otherwise some of each form.
func TestTextOfOthers(t *testing.T) {
	p := build(t, "advise", "plan", "forecast", "sec", "elastic", "preempt", "cap3", "federation")
	most := 8
	if os.Getenv("PLIMSOLL_LONG") != "" {
		most = 1 << 20
	}
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if out, err := p.obeyed(t, s, s.text); err != nil && s.made {
				t.Fatalf("%s of the sample itself: %v\n%s", s.args, err, out)
			}
			places := token.FindAllStringIndex(s.text, -1)
			for len(places) > most { // the header, and then evenly
				places = slices.Delete(places, most/2, most/2+max(1, (len(places)-most)/2))
			}
			runs, shown := 0, 0
			for _, at := range places {
				for _, bad := range []string{"x\x1b[31m\u009b31m\u202e", "=cmd|1", "@SUM(1)"} {
					if s.text[0] == '{' || s.text[0] == '[' {
						bad = strings.Trim(strconv.QuoteToASCII(bad), `"`)
						bad = strings.ReplaceAll(bad, `\x1b`, `\u001b`)
					}
					out, _ := p.obeyed(t, s, s.text[:at[0]]+bad+s.text[at[1]:])
					runs++
					if strings.Contains(out, "cmd") || strings.Contains(out, "SUM") || strings.Contains(out, "[31m") {
						shown++
					}
				}
			}
			t.Logf("%d runs, of which %d show the text", runs, shown)
		})
	}
}

// obeyed runs a tool on a text, fails if an output would be obeyed, and returns what is printed.
func (p programs) obeyed(t *testing.T, s sample, text string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "input")
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.NewReplacer("@", file, "!", out).Replace(s.args))
	cmd := exec.Command(p.file(args[0]), args[1:]...)
	printed, failed := cmd.CombinedOutput() // a mistake ends with an error, and its text counts too
	check := func(what string, data []byte) {
		for i := 0; i < len(data); {
			c, size := utf8.DecodeRune(data[i:])
			if c != '\n' && c != '\t' && (!unicode.IsPrint(c) || c == utf8.RuneError && size == 1) {
				t.Errorf("%s: %s has %q: ...%q", s.args, what, c, data[max(0, i-60):min(len(data), i+60)])
				return
			}
			i += size
		}
	}
	check("the output", printed)
	files, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		check(filepath.Base(f), data)
		if filepath.Ext(f) != ".csv" {
			continue
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if _, err := strconv.ParseFloat(cell, 64); err != nil && len(cell) > 1 && strings.ContainsRune("=+-@", rune(cell[0])) {
					t.Errorf("%s: %s has the formula %q", s.args, filepath.Base(f), cell)
				}
			}
		}
	}
	return string(printed), failed
}
