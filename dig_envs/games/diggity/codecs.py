"""A codec of Diggity: an object that is null while there is nothing to say."""

from typing import Any

from dig_envs.engine.snapshots.codecs import Group, JsonSchema, Place, State, get


class Sometimes(Group):
    """An object whose first entry holds 0 while there is none; then it is null, whatever the
    phase."""

    def write(self, state: State, name: str, at: Place) -> Any:
        return super().write(state, name, at) if get(state, self._first(name), at) else None

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        if value is None:
            self.clear(state, name, at)
        else:
            super().read(state, name, at, value, key)

    def _first(self, name: str) -> str:
        key, codec = next(iter(self.entries.items()))
        return self._field(name, key, codec)

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [super().json_schema(), {"type": "null"}]}
