//go:build !amd64

package encoder

func bestKernels() *kernels { return availableKernels()[0] }

func availableKernels() []*kernels { return []*kernels{genericKernels()} }
