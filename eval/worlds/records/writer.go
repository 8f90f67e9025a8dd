package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Writer appends records to a file. It is safe for concurrent use; two writers
// on one file are not.
type Writer struct {
	mu      sync.Mutex
	path    string
	f       *os.File
	dropped int
	size    int64 // bytes of whole lines
}

// OpenAppend opens a file for appending and makes it where there is none. A last
// line that was torn when its writer was killed is cut away, see Dropped. What
// is compressed cannot be appended to.
func OpenAppend(path string) (*Writer, error) {
	if strings.HasSuffix(path, gz) {
		return nil, broken(path, 0, errors.New("compressed records cannot be appended to; give a name without .gz and compress when the recording is done"))
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644) //nolint:gosec // records are published
	if err != nil {
		return nil, broken(path, 0, err)
	}
	w := &Writer{path: path, f: f}
	if err := w.mend(); err != nil {
		_ = f.Close()
		return nil, broken(path, 0, err)
	}
	return w, nil
}

// mend makes the file end with a whole line.
func (w *Writer) mend() error {
	b, err := io.ReadAll(w.f)
	if err != nil {
		return err
	}
	if len(b) > most {
		return fmt.Errorf("it holds more than %d bytes", most)
	}
	whole, torn := split(b)
	w.dropped, w.size = len(torn), int64(len(whole))
	if len(torn) > 0 {
		return w.f.Truncate(w.size)
	}
	if w.size > 0 && whole[w.size-1] != '\n' {
		_, err = w.f.Write([]byte{'\n'})
		w.size++
	}
	return err
}

// Dropped is how many bytes of a torn line were cut away on opening.
func (w *Writer) Dropped() int { return w.dropped }

// Append adds one record. It is on the disk when Append returns; where it
// failed nothing of it is left.
func (w *Writer) Append(r Record) error {
	if err := r.check(); err != nil {
		return broken(w.path, 0, err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.f.Write(append(line, '\n'))
	if err != nil {
		return errors.Join(fmt.Errorf("append to %s: %w", w.path, err), w.f.Truncate(w.size))
	}
	w.size += int64(n)
	return w.f.Sync()
}

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }
