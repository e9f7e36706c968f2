module linerate/tools/bench

go 1.26.0

replace linerate => ../..

require (
	github.com/vishvananda/netlink v1.3.1
	golang.org/x/sys v0.49.0
	linerate v0.0.0
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/parquet-go/parquet-go v0.28.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/safchain/ethtool v0.7.0 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/vishvananda/netns v0.0.5 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	google.golang.org/protobuf v1.34.2 // indirect
)
