package offers

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// readJSON reads one object, or several one after the other (the pages of an
// answer), and tells whose they are by their members.
func (b *builder) readJSON(src *bufio.Reader) error {
	dec := json.NewDecoder(src)
	for page := 0; ; page++ {
		token, err := dec.Token()
		if err == io.EOF && page > 0 {
			return nil
		}
		if err == nil && token != json.Delim('{') {
			err = fmt.Errorf("%v: want an object", token)
		}
		if err == nil {
			err = b.readObject(dec)
		}
		if err != nil {
			return jsonError(dec, page, err)
		}
	}
}

func jsonError(dec *json.Decoder, page int, err error) error {
	var input *pricing.InputError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &input) && input.Package == "offers":
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return inputerr.New("offers", "page", page, ErrSyntax, "byte %d is the last: want whole JSON", dec.InputOffset())
	case errors.As(err, &syntax):
		return inputerr.New("offers", "page", page, ErrSyntax, "byte %d: %v: want JSON", syntax.Offset, syntax)
	}
	return inputerr.New("offers", "page", page, ErrSyntax, "before byte %d: %w", dec.InputOffset(), err)
}

func (b *builder) readObject(dec *json.Decoder) error {
	products := map[string]*awsPrice{}
	found, described := false, false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		switch key {
		case "products":
			described = true
			err = b.readAWSProducts(dec, products)
		case "terms":
			if !described {
				return inputerr.New("offers", "terms", -1, ErrForm, "terms before products: want an AWS offer file with its products first")
			}
			found = true
			err = b.readAWSTerms(dec, products)
		case "Items":
			found = true
			err = b.readAzure(dec)
		case "skus":
			found = true
			err = b.readGCP(dec)
		default:
			var skip json.RawMessage
			err = dec.Decode(&skip)
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if !found {
		return inputerr.New("offers", "file", -1, ErrForm, "an object without \"terms\", \"Items\" or \"skus\" (an index names the file that has the prices): want %s", wanted)
	}
	return nil
}
