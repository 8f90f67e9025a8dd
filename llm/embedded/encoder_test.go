package embedded

func testEncoder() *bagEncoder { return &bagEncoder{} }
