package progress

// Format is the version of what Encode writes. Decode reads no other.
const Format = modelVersion
