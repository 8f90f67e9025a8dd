package encoder

func bestKernels() *kernels { return genericKernels() }
