"""The tables of the rules of Twenty Questions: genera, and the questions with the genera for which
the answer is yes."""

from dig_envs.registry import load_game
from tests.rules.tables import number, table

TABLE = {row["genus"]: row for row in table(load_game("twenty_questions"), "genus")}
GENERA = list(TABLE)
CARDS = {genus: int(row["cards"]) for genus, row in TABLE.items()}
VALUE = {genus: number(row["value"]) for genus, row in TABLE.items()}
RESEARCH = {genus: number(row["research"]) for genus, row in TABLE.items()}

ANSWERS = {row["action"]: row for row in table(load_game("twenty_questions"), "action")}
QUESTIONS = {question: row["yes"].split() for question, row in ANSWERS.items()}
