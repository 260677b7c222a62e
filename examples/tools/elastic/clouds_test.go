package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

func TestCloudFile(t *testing.T) {
	clouds := "name,limit,price,reject,boot,stop\n# of a lab\nfree,8,,1,,\ncheap,3,0.1,0,10s,10s\ndear,,0.5,,100s,1m\n"
	log := programtest.Write(t, "log.swf", "1 10 0 4000 4 -1 -1 4 5000 -1 1 1 1 1 1 1 -1 -1\n")
	for name, text := range map[string]string{"plain.csv": clouds, "zipped.csv": programtest.Gzip("\ufeff" + clouds)} {
		path := programtest.Write(t, name, text)
		args := []string{"-trace", log, "-clouds", path, "-local", "2", "-policy", "od++", "-runs", "1", "-horizon", "3h"}
		stdout, _ := tested.Must(t, append(args, "-json")...)
		r := programtest.Rows[map[string]any](t, stdout)[0]
		for key, want := range map[string]any{
			"awrt_s": 4390., "awqt_s": 390., "cost": "4.000", "local_core_hours": 0.,
			"free_core_hours": 0., "cheap_core_hours": 0., "dear_core_hours": 4.444, "refused": 4.,
		} {
			if r[key] != want {
				t.Errorf("%s: %s is %v, want %v", name, key, r[key], want)
			}
		}
		text, _ := tested.Must(t, args...)
		if !strings.Contains(text, "; clouds: free, cheap, dear\n") {
			t.Errorf("%s:\n%s", name, text)
		}
		tested.SVG(t, args, "dear", "core-hours")
	}
}

func TestPriceOfData(t *testing.T) {
	log := programtest.Write(t, "log.swf", "1 0 0 3600 1 -1 -1 1 7200 -1 1 1 1 1 1 1 -1 -1\n")
	args := []string{"-trace", log, "-local", "0", "-runs", "1", "-policy", "od++", "-clouds"}
	const says = "paid when a job starts, and is not checked against the credits: policies do not know of it."
	for file, paid := range map[string]bool{"name,price,transfer_price\na,0.05,100\n": true, "name,price\na,0.05\n": false} {
		with := append(args[:len(args):len(args)], programtest.Write(t, "clouds.csv", file))
		text, _ := tested.Must(t, with...)
		if strings.Contains(strings.Join(strings.Fields(text), " "), says) != paid {
			t.Errorf("%s\n%s", file, text)
		}
		stdout, _ := tested.Must(t, append(with, "-json")...)
		if r := programtest.Rows[map[string]any](t, stdout)[0]; (strings.HasPrefix(r["lowest_credits"].(string), "-9")) != paid {
			t.Errorf("%s: %v", file, r)
		}
	}
}

const prices = `AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp
a,t3.small,Linux/UNIX,0.01,2020-03-01T00:00:00Z
a,t3.small,Linux/UNIX,0.10,2020-03-01T00:30:00Z
a,t3.small,Linux/UNIX,0.02,2020-03-01T01:00:00Z
a,t3.small,Windows,0.09,2020-03-01T00:00:00Z
`

func TestSpotAndTypes(t *testing.T) {
	file := programtest.Write(t, "prices.csv", prices)
	log := programtest.Write(t, "log.swf", "1 10 0 4000 4 -1 -1 4 5000 -1 1 1 1 1 1 1 -1 -1\n")
	clouds := programtest.Write(t, "clouds.csv", "name,type,spot,series,bid,boot,stop,cores,speed\nec2,small,"+file+",a t3.small,0.05,10s,0s,2,2\n")
	args := []string{"-trace", log, "-clouds", clouds, "-local", "0", "-policy", "od++", "-runs", "1"}
	stdout, _ := tested.Must(t, append(args, "-json")...)
	r := programtest.Rows[map[string]any](t, stdout)[0]
	for key, want := range map[string]any{"awrt_s": 5600., "awqt_s": 3600., "cost": "0.040", "ec2_small_core_hours": 2.222, "requeued": 1.,
		"lost_core_hours": 1.656} {
		if r[key] != want {
			t.Errorf("%s is %v, want %v", key, r[key], want)
		}
	}
	text, _ := tested.Must(t, args...)
	if !strings.Contains(text, "ec2_small has a t3.small Linux/UNIX prices from $0.01 to $0.1") || !strings.Contains(text, "lost work") {
		t.Error(text)
	}
}

func TestEndsOfColumns(t *testing.T) {
	for text, ok := range map[string]bool{
		"limit=0": true, "limit=67108864": true, "limit=67108865": false, "limit=-1": false, "price=0": true, "price=1000": true, "price=1000.01": false,
		"transfer_price=0": true, "transfer_price=1000": true, "transfer_price=-0.01": false, "bid=1000": true, "bid=0": false, "bid=1000.01": false,
		"reject=0": true, "reject=1": true, "reject=-0.1": false, "speed=0.001": true, "speed=1000": true, "speed=1001": false, "speed=0.0009": false,
		"cores=1": true, "cores=0": false, "limit=": true, "bid=": true,
	} {
		var c cloudRow
		column, value, _ := strings.Cut(text, "=")
		if err := c.set(column, value); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", text, err, ok)
		}
	}
	// A spot price that falls to 0 pays for any number of instances.
	free := programtest.Write(t, "free.csv", strings.Replace(prices, "0.02", "0", 1))
	for line, want := range map[string]string{"a,%s,t3.small,0.05,\n": "line 2 (limit): none, though the spot price falls to 0: want a limit",
		"a,%s,t3.small,0.05,8\n": "", "a,made-up,,0.05,\n": ""} {
		_, err := readClouds(strings.NewReader("name,spot,series,bid,limit\n"+strings.ReplaceAll(line, "%s", free)), false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

func TestUncovered(t *testing.T) {
	for want, c := range map[string]cloudRow{
		"":               {CloudOptions: elastic.CloudOptions{Name: "a", Price: 1}},
		"spot":           {CloudOptions: elastic.CloudOptions{Spot: &elastic.Spot{}}},
		"transfer":       {CloudOptions: elastic.CloudOptions{Transfer: 1}},
		"transfer_price": {CloudOptions: elastic.CloudOptions{TransferPrice: 1}},
		"release":        {CloudOptions: elastic.CloudOptions{Release: elastic.Delay{{Weight: 1}}}},
	} {
		if got := c.uncovered(); got != want {
			t.Errorf("the column %q, want %q", got, want)
		}
	}
}
