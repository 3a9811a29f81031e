"""A bot in plain Python, without any package: it plays a random legal action, and remembers how
many it has played in each game.

dig-envs arena go_dig_v0 --agents "exec:python tests/server/bots/bot.py,random" --games 100
"""

import json
import random
import sys

played = {}  # number of the game -> actions in it


def choose(params):
    """The index of an action for what the seat is shown."""
    view, legal = params["view"], params["legal"]
    assert view["phase"] != "over"
    played[params["game"]] = played.get(params["game"], 0) + 1
    return random.choice(legal)["action"]


for line in sys.stdin:
    message = json.loads(line)
    result = choose(message["params"])
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    print(json.dumps(answer), flush=True)
