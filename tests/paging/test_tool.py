import json

import pytest

from proxy.paging.tool import READ_MORE, READ_MORE_ZH, free_name, read_more


@pytest.mark.parametrize("tool", [READ_MORE, READ_MORE_ZH])
def test_the_definition_asks_for_one_cursor(tool):
    schema = json.loads(tool.schema)
    assert tool.name == "read_more"
    assert tool.description
    assert list(schema["properties"]) == schema["required"] == ["cursor"]
    assert schema["properties"]["cursor"]["type"] == "string"


def test_it_is_the_same_object_each_time():
    assert read_more("en") is READ_MORE
    assert read_more("zh", {"query", "search"}) is READ_MORE_ZH


def test_a_name_that_the_agent_uses_is_not_taken():
    taken = {"read_more", "handrail_read_more", "handrail_read_more_2"}
    assert free_name({"read_more"}) == "handrail_read_more"
    assert free_name(taken) == free_name(sorted(taken)) == "handrail_read_more_3"
    renamed = read_more("zh", taken)
    assert renamed.name == "handrail_read_more_3"
    assert (renamed.description, renamed.schema) == (READ_MORE_ZH.description, READ_MORE_ZH.schema)
