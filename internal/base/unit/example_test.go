package unit_test

import (
	"fmt"

	"linerate/internal/base/unit"
)

// A bit rate has many spellings, and one printed form.
func ExampleParseBitRate() {
	for _, text := range []string{"40G", "9.41 Gbits/sec", "800MB/s", "10g"} {
		rate, err := unit.ParseBitRate(text)
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Printf("%s is %.0f bits per second: %s, %s\n", text, float64(rate), rate, rate.BytesPerSecond())
	}

	// Output:
	// 40G is 40000000000 bits per second: 40.0 Gb/s, 5.00 GB/s
	// 9.41 Gbits/sec is 9410000000 bits per second: 9.41 Gb/s, 1.18 GB/s
	// 800MB/s is 6400000000 bits per second: 6.40 Gb/s, 800 MB/s
	// error: "10g" is not a rate; write it as 10G for bits per second
}

// K, M and G mean powers of 1024 in a size, and KB, MB and GB mean powers of 1000.
func ExampleParseBytes() {
	for _, text := range []string{"128K", "3.2GB", "1500"} {
		size, err := unit.ParseBytes(text)
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		fmt.Printf("%s is %d bytes: %s\n", text, size, size)
	}

	// Output:
	// 128K is 131072 bytes: 128 KiB
	// 3.2GB is 3200000000 bytes: 3.20 GB
	// 1500 is 1500 bytes: 1500 B
}

// A value that could not be read is unknown with its reason. It is never zero.
func ExampleOpt() {
	type link struct {
		Speed unit.Opt[unit.BitRate] `json:"speed"`
	}
	for _, l := range []link{
		{unit.Known(25 * unit.GigabitPerSecond)},
		{unit.Unknown[unit.BitRate]("the interface is down")},
	} {
		if speed, ok := l.Speed.Get(); ok {
			fmt.Println("speed:", speed)
		} else {
			fmt.Println("speed: unknown,", l.Speed.Why())
		}
	}

	// Output:
	// speed: 25.0 Gb/s
	// speed: unknown, the interface is down
}

// Prices are exact: two adapters that cost 25.33 USD together cost 25.33 USD again when you add them.
func ExampleParseMoney() {
	each, err := unit.ParseMoney("25.33 USD / 2")
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(each, "each,", each.Times(2), "for two")

	// Output:
	// 12.67 USD each, 25.33 USD for two
}
