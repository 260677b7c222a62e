package offers

import (
	"strconv"
	"strings"
)

// splitSize splits the name of an AWS type of instance into the family that size
// flexible reservations share and its normalised units in hundredths: "m5.2xlarge"
// is m5 and 1600, "db.r5.large" db.r5 and 400. It returns 0 units where the name
// does not tell: every bare metal size has its own.
func splitSize(kind string) (family string, hundredths int) {
	i := strings.LastIndexByte(kind, '.')
	if i <= 0 {
		return "", 0
	}
	family = kind[:i]
	switch size := kind[i+1:]; size {
	case "nano":
		return family, 25
	case "micro":
		return family, 50
	case "small":
		return family, 100
	case "medium":
		return family, 200
	case "large":
		return family, 400
	case "xlarge":
		return family, 800
	default:
		if n, err := strconv.Atoi(strings.TrimSuffix(size, "xlarge")); err == nil && n > 0 && n < 1000 && strings.HasSuffix(size, "xlarge") {
			return family, 800 * n
		}
	}
	return family, 0
}

// factor reads a normalisation size factor such as "4" or "16.190854871", in
// hundredths; 0 where it is none (NA) or no whole number of hundredths.
func factor(text string) int {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 1e6) || x*100 != float64(int(x*100)) {
		return 0
	}
	return int(x * 100)
}
