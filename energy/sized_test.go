package energy

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestSizedWorkStartsOnlyWhereItFits(t *testing.T) {
	t.Parallel()
	a := NewAccount(100 * time.Millisecond)
	ctx := WithAccount(t.Context(), a)
	ran := 0
	if err := DoSized(ctx, time.Second, func() { ran++ }); !errors.Is(err, ErrTooLarge) || ran != 0 {
		t.Fatalf("work of 1 s in an account of 100 ms: %v, ran %d times", err, ran)
	}
	if err := DoSized(ctx, 10*time.Millisecond, func() { ran++ }); err != nil || ran != 1 {
		t.Fatalf("work that fits: %v", err)
	}
	if err := Do(ctx, func() { ran++ }); err != nil {
		t.Fatalf("small work after a large refusal: %v", err)
	}
	late, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if err := DoSized(late, 50*time.Millisecond, func() { ran++ }); !errors.Is(err, ErrTooLarge) && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("work longer than the deadline: %v", err)
	}
	if ran != 2 {
		t.Fatalf("ran %d times", ran)
	}
}

func TestSizedWorkInFlightIsCounted(t *testing.T) {
	t.Parallel()
	a := NewAccount(100 * time.Millisecond)
	ctx := WithAccount(t.Context(), a)
	inside, done := make(chan struct{}), make(chan struct{})
	finished := make(chan error, 1)
	go func() {
		finished <- DoSized(ctx, 80*time.Millisecond, func() { close(inside); <-done })
	}()
	<-inside
	if err := DoSized(ctx, 80*time.Millisecond, func() {}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a second piece beside the first: %v", err)
	}
	close(done)
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
}
