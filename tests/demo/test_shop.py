from proxy.demo.shop import Shop


def test_tools_fail_as_real_ones_do() -> None:
    shop = Shop()
    wrong = {"customer": "Acme", "status": "Open", "since": "2024-03-05"}
    assert "ValueError: unknown status" in shop.call("query_orders", wrong)
    assert "A-101" in shop.call("query_orders", {**wrong, "status": "open"})
    assert "TimeoutError" in shop.call("exchange_rate", {"pair": "USD/EUR"})


def test_what_was_sent_is_counted() -> None:
    shop = Shop()
    shop.call("send_email", {"to": "a", "subject": "b", "body": "c"})
    assert (shop.made, shop.outbox) == (1, [("a", "b")])
