package handlers

import (
	"crypto/rand"
	"time"

	"github.com/progrouter/progrouter/web"
)

// Config is what the operator decided. The zero value serves without a password
// to localhost.
type Config struct {
	// Addr is the address that was bound, "127.0.0.1:8080". Its host is accepted
	// in Host headers.
	Addr string
	// Hosts are further accepted host names, with or without a port.
	Hosts []string
	// Password protects everything; empty means no login.
	Password string
	// SessionKey signs session cookies. It should be kept between starts; empty
	// makes a new one, which signs everybody out at a restart.
	SessionKey []byte
	// UploadLimit is the size of one uploaded file in bytes; 0 is 32 MiB.
	UploadLimit int64
	// RequestTimeout ends everything but streams; 0 is 60 s.
	RequestTimeout time.Duration
	// Heartbeat is the pause between signs of life on a stream; 0 is 15 s.
	Heartbeat time.Duration
	// WriteLimit is how long one write to a stream may take; slower readers are
	// dropped and reconnect. 0 is 30 s.
	WriteLimit time.Duration
	// Streams is how many live streams may be open at once; 0 is 256.
	Streams int
	// Version is the program's.
	Version string
	// Meter is what modelled joules assume.
	Meter web.Meter
	// Zone is the time zone of pages; nil is UTC.
	Zone *time.Location
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	sessionLife = 30 * 24 * time.Hour
	formLimit   = 1 << 20 // bytes of a form or JSON body
	pageSize    = 25
	uploadFiles = 20 // files in one upload
)

func (c Config) withDefaults() Config {
	if len(c.SessionKey) == 0 {
		c.SessionKey = make([]byte, 32)
		_, _ = rand.Read(c.SessionKey) // never fails
	}
	c.UploadLimit = orDefault(c.UploadLimit, 32<<20)
	c.RequestTimeout = orDefault(c.RequestTimeout, time.Minute)
	c.Heartbeat = orDefault(c.Heartbeat, 15*time.Second)
	c.WriteLimit = orDefault(c.WriteLimit, 30*time.Second)
	c.Streams = orDefault(c.Streams, 256)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func orDefault[T int | int64 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
