package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowQuery is when a statement is worth a line in the log.
const slowQuery = 500 * time.Millisecond

// gormLogger sends slow statements to slog. Errors are returned, and whoever
// handles them logs them with more context.
type gormLogger struct{ log *slog.Logger }

func (l gormLogger) LogMode(logger.LogLevel) logger.Interface { return l }

func (l gormLogger) Info(ctx context.Context, msg string, _ ...any) { l.log.DebugContext(ctx, msg) }

func (l gormLogger) Warn(ctx context.Context, msg string, _ ...any) { l.log.WarnContext(ctx, msg) }

func (l gormLogger) Error(ctx context.Context, msg string, _ ...any) { l.log.ErrorContext(ctx, msg) }

// Trace must not put values into the log, they hold people's questions.
func (l gormLogger) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	took := time.Since(begin)
	if took < slowQuery || errors.Is(err, gorm.ErrRecordNotFound) {
		return
	}
	_, rows := fc()
	l.log.WarnContext(ctx, "slow statement", "took", took, "rows", rows)
}

// riverLogger lets only warnings of the queue through; it greets at every start.
func riverLogger(log *slog.Logger) *slog.Logger {
	return slog.New(leveled{log.Handler(), slog.LevelWarn})
}

// leveled is a handler with a raised threshold.
type leveled struct {
	slog.Handler
	least slog.Level
}

func (h leveled) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.least && h.Handler.Enabled(ctx, l)
}

func (h leveled) WithAttrs(a []slog.Attr) slog.Handler {
	return leveled{h.Handler.WithAttrs(a), h.least}
}

func (h leveled) WithGroup(n string) slog.Handler { return leveled{h.Handler.WithGroup(n), h.least} }
