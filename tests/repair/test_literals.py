import math

import pytest

from proxy.repair.literals import Num, is_not_finite, write


def test_numbers_come_back_as_they_were_written():
    value = {"version": Num("1.10"), "id": 123456789012345678901234567890, "amount": Num("0.1000"), "big": Num("1E400")}
    assert write(value) == '{"version":1.10,"id":123456789012345678901234567890,"amount":0.1000,"big":1E400}'
    assert value["version"] == 1.1
    assert (str(value["amount"]), repr(value["amount"])) == ("0.1000", "0.1000")


def test_text_stays_unescaped_and_compact():
    assert write({"é": ["\n", True, None, 0.5, []], "x": {}}) == '{"é":["\\n",true,null,0.5,[]],"x":{}}'


def test_only_what_json_cannot_write_is_not_finite():
    assert is_not_finite(math.nan)
    assert is_not_finite(-math.inf)
    assert not is_not_finite(Num("1e999"))
    assert not is_not_finite(1.5)
    with pytest.raises(ValueError, match="not JSON compliant"):
        write([math.nan])
