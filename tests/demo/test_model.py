import json

from proxy.demo.model import SCRIPTS, answer
from proxy.demo.shop import TOOLS
from proxy.demo.show import TASKS


def test_each_task_has_its_script_and_each_call_its_tool() -> None:
    offered = {tool["function"]["name"] for tool in TOOLS}
    for task in TASKS:
        assert sum(word in task for word in SCRIPTS) == 1
        for step in answer([{"role": "user", "content": task}]):
            assert isinstance(step, dict)
            assert step["tool"] in offered
            assert isinstance(json.loads(step["arguments"]), dict)
