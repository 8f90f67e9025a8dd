package records

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// gz ends the names of compressed files.
const gz = ".gz"

// most bounds a file of records once it is decompressed, in bytes.
const most = 1 << 30

// Read reads every record of a file, in its order. A last line that was torn
// when its writer was killed is left out; anything else that is no record is an
// error that names file and line.
func Read(path string) ([]Record, error) {
	b, err := contents(path)
	if err != nil {
		return nil, broken(path, 0, err)
	}
	whole := b
	if !strings.HasSuffix(path, gz) { // a compressed file is never appended to
		whole, _ = split(b)
	}
	return parse(path, whole)
}

func parse(path string, b []byte) ([]Record, error) {
	var list []Record
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, broken(path, n, fmt.Errorf("not a record: %w", err))
		}
		if err := r.check(); err != nil {
			return nil, broken(path, n, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// contents reads a file, decompressed.
func contents(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var from io.Reader = f
	if strings.HasSuffix(path, gz) {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		defer func() { _ = z.Close() }()
		from = z
	}
	b, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && len(b) > most {
		return nil, fmt.Errorf("it holds more than %d bytes", most)
	}
	return b, err
}

// split parts the lines that are whole from a last one that was torn. A last
// line that lacks nothing but its end is whole.
func split(b []byte) (whole, torn []byte) {
	at := bytes.LastIndexByte(b, '\n') + 1
	var r Record
	if at == len(b) || json.Unmarshal(b[at:], &r) == nil {
		return b, nil
	}
	return b[:at], b[at:]
}

// Write puts records in place of what a file holds.
func Write(path string, list []Record) error {
	b, err := encode(list)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, gz) {
		return broken(path, 0, errors.New("compressed records are not rewritten; give the name without .gz"))
	}
	return replace(path, b)
}

func encode(list []Record) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, r := range list {
		if err := enc.Encode(r); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), nil
}

// Compress writes the records of a file beside it, compressed, with .gz added
// to its name, and returns that name. The same records always give the same
// bytes.
func Compress(path string) (string, error) {
	list, err := Read(path)
	if err != nil {
		return "", err
	}
	b, err := encode(list)
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if _, err := z.Write(b); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	to := strings.TrimSuffix(path, gz) + gz
	return to, replace(to, buf.Bytes())
}

// replace puts a file in place of another at once.
func replace(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func broken(path string, line int, err error) error {
	where := path
	if line > 0 {
		where = fmt.Sprintf("%s line %d", path, line)
	}
	return research.Errorf(research.EInvalid, "records_broken",
		"The records cannot be used: %s: %v.", where, err).Wrap(err)
}
