from tests.wire import between


async def test_stale_connection_is_not_the_agents_problem():
    async def script(seen, peer):
        await peer.reply(200, b"ok")
        peer.writer.close()  # without saying so

    async with between(script) as (running, provider):
        client = await running.client()
        for _ in range(8):
            assert (await client.ask("POST /v1/embeddings", body=b"{}")).body == b"ok"
        client.close()
    assert len(provider.seen) == 8


async def test_what_a_live_upstream_has_seen_is_not_sent_again():
    async def script(seen, peer):
        if seen.body == b"1":
            await peer.reply(200, b"ok")
        else:
            peer.reset()

    async with between(script) as (running, provider):
        client = await running.client()
        assert (await client.ask("POST /v1/embeddings", body=b"1")).status == 200
        assert (await client.ask("POST /v1/embeddings", body=b"2")).status == 502
        client.close()
    assert [seen.body for seen in provider.seen] == [b"1", b"2"]
    assert provider.connections == 1
