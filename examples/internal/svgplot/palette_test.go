package svgplot

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"strings"
	"testing"
)

// The page's colours on light paper are those of the programs' pictures.
func TestPage(t *testing.T) {
	css, err := os.ReadFile("../../tools/page/web/style.css")
	if err != nil {
		t.Fatal(err)
	}
	root, _, _ := strings.Cut(string(css), "}")
	want := map[string]color.RGBA{"ond": demandColour, "idle": idleColour, "price": priceColour, "ink": inkColour, "soft": softColour, "grid": gridColour}
	for i := range classColours {
		want[fmt.Sprintf("c%d", i)] = classColour(i)
	}
	for name, c := range want {
		if text := fmt.Sprintf("--%s: #%02x%02x%02x;", name, c.R, c.G, c.B); !strings.Contains(root, text) {
			t.Errorf("style.css does not begin with %s", text)
		}
	}
}

// Text has a contrast of 4.5 with white, and keeps the hue.
func TestText(t *testing.T) {
	channel := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= .04045 {
			return x / 12.92
		}
		return math.Pow((x+.055)/1.055, 2.4)
	}
	for _, c := range append(classColours[:], demandColour, idleColour, priceColour, inkColour, color.RGBA{0xff, 0xff, 0xff, 0xff}) {
		x := textColour(c)
		if contrast := 1.05 / (.2126*channel(x.R) + .7152*channel(x.G) + .0722*channel(x.B) + .05); contrast < 4.5 {
			t.Errorf("%v for %v has a contrast of %.2f", x, c, contrast)
		}
	}
}

// Text is no darker than it needs to be, and its channels are to each other as before. What is
// dark already stays as it is.
func TestTextKeepsItsHue(t *testing.T) {
	if got := textColour(inkColour); got != inkColour {
		t.Errorf("ink becomes %v", got)
	}
	changed := 0
	for _, c := range append(classColours[:], demandColour, idleColour, priceColour, softColour, color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0, 0, 0xff, 0xff}) {
		x := textColour(c)
		f := (float64(x.G) + 1) / (float64(c.G) + 1)
		if c.G == 0 {
			f = float64(x.B) / float64(c.B)
		}
		for _, p := range [][2]uint8{{c.R, x.R}, {c.G, x.G}, {c.B, x.B}} {
			if math.Abs(f*float64(p[0])-float64(p[1])) > 3 {
				t.Errorf("%v becomes %v", c, x)
			}
		}
		square := func(v uint8) float64 { return float64(v) / 255 * float64(v) / 255 }
		light := .2126*square(x.R) + .7152*square(x.G) + .0722*square(x.B)
		if x != c {
			changed++
			if light < .16*.96*.96*.97 {
				t.Errorf("%v becomes %v, darker than it needs to be: %.3f", c, x, light)
			}
		}
		if light > .16 {
			t.Errorf("%v becomes %v, too light: %.3f", c, x, light)
		}
	}
	if changed < 5 {
		t.Errorf("%d colours are changed", changed)
	}
}
