"""A bot for a text chat, which hosts a game in each room.

A line of its input is ``ROOM NAME: WORDS``: what somebody says in a room. A line of its output is
``ROOM: WORDS``, for all in the room, or ``ROOM @NAME: WORDS``, for one person alone. For a chat on
a server, replace ``say`` and the loop at the end.
"""

import json
import subprocess
import sys

HELP = (
    "new ENVIRONMENT NAMES begins a game, such as: new go_dig_v0 Ann Bob =hard (=AGENT is a bot). "
    "Whoever is to decide says the number of an action, look, or hint."
)


def say(room, words, name=None):
    """Say something to one person, or to all in the room."""
    for line in words.splitlines():
        print(room if name is None else f"{room} @{name}", line, sep=": ", flush=True)


class Engine:
    """The games: a process that is asked in lines of JSON."""

    def __init__(self):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            ["dig-envs", "engine"], stdin=pipe, stdout=pipe, text=True, encoding="utf-8"
        )

    def ask(self, method, **parameters):
        """Return the answer; raises ValueError with the words of an error."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"]["message"])
        return answer["result"]


class Table:
    """The game of a room; players are names of people, or ``=AGENT``."""

    def __init__(self, engine, room, environment, players):
        self.engine, self.room, self.environment = engine, room, environment
        options = {"num_players": len(players)}
        self.state = engine.ask("new", environment=environment, options=options)
        self.people = {}  # name -> seat
        for seat, player in enumerate(players):
            if player.startswith("="):
                self.ask("play", seat=seat, agent=player[1:])
            else:
                self.people[player] = seat
        self.ask("names", names=["" if name.startswith("=") else name for name in players])
        self.seen = dict.fromkeys(self.people, 0)  # name -> number of the next event

    def ask(self, method, **parameters):
        return self.engine.ask(method, game=self.state["game"], **parameters)

    def go_on(self):
        """Let bots play, tell people what happens, and ask who is to decide."""
        while bots := set(self.state["owing"]) - set(self.people.values()):
            self.state = self.ask("act", seat=min(bots))
        for name, seat in self.people.items():
            view = self.ask("view", seat=seat, since=self.seen[name])
            self.seen[name] = view["next"]
            say(self.room, "\n".join(event["text"] for event in view["events"]), name)
            if view["legal"]:
                self.look(name)
        say(self.room, self.ask("view")["headline"])

    def look(self, name):
        view = self.ask("view", seat=self.people[name])
        legal = [f"{place}) {legal['label']}" for place, legal in enumerate(view["legal"])]
        say(self.room, "\n".join([view["text"], view["headline"], *legal]), name)

    def hear(self, name, words):
        """What a player says; what is no command is talk."""
        seat = self.people[name]
        if words == "look":
            self.look(name)
        elif words == "hint":
            view = self.ask("view", seat=seat)["view"]  # all that the adviser gets
            chosen = self.engine.ask(
                "choose", environment=self.environment, view=view, seat=seat, agent="heuristic"
            )
            legal = self.ask("legal", seat=seat)
            label = next(one["label"] for one in legal if one["action"] == chosen["action"])
            say(self.room, label, name)
        elif words.isdecimal():
            legal = self.ask("legal", seat=seat)
            if int(words) >= len(legal):
                raise ValueError(f"a number below {len(legal)}" if legal else "wait, please")
            self.state = self.ask("act", seat=seat, action=legal[int(words)]["action"])
            self.go_on()


def main():
    engine, tables = Engine(), {}
    for line in sys.stdin:
        who, _, words = line.partition(":")
        (room, _, name), words = who.partition(" "), words.strip()
        try:
            if words == "help":
                say(room, HELP, name)
            elif words.startswith("new "):
                environment, *players = words.split()[1:]
                table = Table(engine, room, environment, players)
                if room in tables:
                    tables[room].ask("close")
                tables[room] = table
                table.go_on()
            elif room in tables and name in tables[room].people:
                tables[room].hear(name, words)
        except ValueError as error:
            say(room, str(error), name)


if __name__ == "__main__":
    main()
