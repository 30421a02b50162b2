from proxy import rawjson
from proxy.dialects import wire


def test_it_is_the_editing_of_raw_json_under_one_name() -> None:
    assert all(getattr(wire, name) is getattr(rawjson, name) for name in wire.__all__)
    assert {"fields", "items", "value", "edit", "obj", "arr", "dump"} <= set(wire.__all__)
