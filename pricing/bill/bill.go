// Package bill reads a bill of any form: its columns tell whose it is.
//
//	var c usage.Collector
//	for _, name := range os.Args[1:] {
//		f, err := os.Open(name)
//		if err != nil {
//			return err
//		}
//		if err := bill.Read(&c, name, f); err != nil {
//			return err // line, column and what would be right
//		}
//	}
//	b, err := c.Bill() // demand, commitments, and an account of every cent
//
// What to call:
//
//	You have                                    You want                      Call
//	a bill as CSV, plain or gzip                demand and commitments        Read
//	a bill as Parquet                           the same                      parquet.Read of pricing/parquet
//	rows in memory or from a database           the same                      NewDecoder
//	a bill whose rows are parted                each row as texts             Rows
//	a bill whose form you know                  the same                      Read of focus, aws, azure, gcp or oci
//
// What a row means is told by the package of its form. A file that has the columns of two
// forms, such as a cost and usage report with columns of FOCUS beside, is a FOCUS export.
package bill

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing/aws"
	"github.com/plimsoll/plimsoll/pricing/azure"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/gcp"
	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
	"github.com/plimsoll/plimsoll/pricing/oci"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// forms are what a bill may be, the one to try first in front.
var forms = []struct {
	form    func(header []string) string // "" for the columns of another form
	read    func(c *usage.Collector, name string, src io.Reader) error
	decoder func(c *usage.Collector, name, form string, header []string) (usage.Decoder, error)
}{
	{focus.Version, focus.Read, focus.NewDecoder},
	{aws.Form, aws.Read, aws.NewDecoder},
	{azure.Form, azure.Read, azure.NewDecoder},
	{gcp.Form, gcp.Read, gcp.NewDecoder},
	{oci.Form, oci.Read, oci.NewDecoder},
}

const wanted = "a FOCUS export, a cost and usage report of AWS, an Azure cost export, a Google Cloud billing export or an Oracle Cloud cost report"

// longest is the longest header that is looked at.
const longest = 256 << 10

// Read reads a bill as CSV, plain or gzip, and adds its rows to c under the given name. The error
// is that of src, or an [*pricing.InputError]. An InputError unwraps to
//
//   - [usage.ErrForm] if this package does not know the form of the file,
//   - [usage.ErrTruncated] if gzip data are cut off,
//   - an error of the package that reads the form, such as [focus.Read], otherwise.
//
// Rows before the error are already in c, so do not use c after an error. Memory does not grow with
// the file. Read panics if c or src is nil.
func Read(c *usage.Collector, name string, src io.Reader) error {
	if c == nil || src == nil {
		panic("bill: nil collector or source")
	}
	br := bufio.NewReaderSize(src, longest)
	if head, _ := br.Peek(2); string(head) == "\x1f\x8b" {
		zip, err := gzip.NewReader(br)
		if err != nil {
			return inputerr.At("bill", 1, 0, "", usage.ErrForm, "%w: want plain text or whole gzip data", err)
		}
		br = bufio.NewReaderSize(zip, longest)
	}
	head, err := br.Peek(longest)
	switch {
	case bytes.IndexByte(head, '\n') >= 0 || err == nil || err == io.EOF || err == bufio.ErrBufferFull:
	case err == io.ErrUnexpectedEOF:
		return inputerr.At("bill", 1, 0, "", usage.ErrTruncated, "in the middle of gzip data: want the whole file")
	default:
		return err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return inputerr.At("bill", 1, 0, "", usage.ErrForm, "the file is empty: want %s", wanted)
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(string(head), "\ufeff"), "\n")
	columns := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' || r == '\t' || r == '"' || r == '\r' })
	for _, f := range forms {
		if f.form(columns) != "" {
			return f.read(c, name, br)
		}
	}
	return unknown(line)
}

// NewDecoder begins a file of the given name in c, with the columns of header, and returns what
// decodes its rows. as is what the file is: "csv", "parquet" or another. The error is that of
// [Read].
func NewDecoder(c *usage.Collector, name, as string, header []string) (usage.Decoder, error) {
	for _, f := range forms {
		if f.form(header) != "" {
			return f.decoder(c, name, as, header)
		}
	}
	return nil, unknown(strings.Join(header, ","))
}

// Rows reads any table of comma-separated values, plain or gzip, and passes its rows on as texts.
// It calls begin once with the names of the columns, and what begin returns for each row. So a
// program can part the rows of a bill before a decoder reads them. The error is that of src, of
// begin or of the decoder, or an [*pricing.InputError] for a text that is no table.
func Rows(src io.Reader, begin func(header []string) (usage.Decoder, error)) error {
	return billtable.Rows("bill", "a bill", src, begin)
}

func unknown(header string) error {
	if len(header) > 80 {
		header = header[:80] + "..."
	}
	return inputerr.At("bill", 1, 0, "", usage.ErrForm, "the columns %s: want %s", strconv.Quote(strings.TrimRight(header, "\r")), wanted)
}
