package progress

// Tasks of like words share means (runnings): k-means over the questions'
// vectors, with first centres that are far from each other, so that nothing is
// drawn at random.
const (
	mostClusters   = 16
	perCluster     = 12 // distinct questions for one more cluster
	clusterRounds  = 6
	clusterSampled = 1000 // distinct questions looked at
)

type centres [][]float32

// cluster finds the centres of distinct vectors.
func cluster(vectors [][]float32) centres {
	if len(vectors) > clusterSampled {
		vectors = vectors[len(vectors)-clusterSampled:]
	}
	k := min(mostClusters, len(vectors)/perCluster)
	if k < 2 {
		return nil
	}
	c := farthest(vectors, k)
	for range clusterRounds {
		sums, n := make(centres, len(c)), make([]float32, len(c))
		for i := range sums {
			sums[i] = make([]float32, len(c[i]))
		}
		for _, v := range vectors {
			at := c.nearest(v)
			n[at]++
			for i := range min(len(v), len(sums[at])) {
				sums[at][i] += v[i]
			}
		}
		for i := range c {
			if n[i] == 0 {
				continue
			}
			for j := range sums[i] {
				sums[i][j] /= n[i]
			}
			c[i] = sums[i]
		}
	}
	return c
}

// farthest picks the first vector and then always the one farthest from those
// picked.
func farthest(vectors [][]float32, k int) centres {
	c := centres{vectors[0]}
	apart := make([]float32, len(vectors))
	for i, v := range vectors {
		apart[i] = distance(v, c[0])
	}
	for len(c) < k {
		at := 0
		for i, d := range apart {
			if d > apart[at] {
				at = i
			}
		}
		if apart[at] == 0 {
			break
		}
		c = append(c, vectors[at])
		for i, v := range vectors {
			apart[i] = min(apart[i], distance(v, vectors[at]))
		}
	}
	return c
}

// nearest is the place of the closest centre, 0 when there are none.
func (c centres) nearest(v []float32) int {
	best, at := float32(0), 0
	for i, x := range c {
		if d := distance(v, x); i == 0 || d < best {
			best, at = d, i
		}
	}
	return at
}

func distance(a, b []float32) float32 {
	sum := float32(0)
	for i := range min(len(a), len(b)) {
		d := a[i] - b[i]
		sum += d * d
	}
	return sum
}
