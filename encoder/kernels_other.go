//go:build !amd64

package encoder

func bestKernels() *kernels { return genericKernels() }

func availableKernels() []*kernels { return []*kernels{genericKernels()} }
