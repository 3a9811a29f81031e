/* Prints for each line of stdin, a seat and a view with a tab between, what views.mjs prints; of a
   position, with - for a seat, the bytes of its state in hexadecimal. views < LINES */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game.h"

static void quote(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if (*text == '\n') printf("\\n");
    else putchar(*text);
  }
  putchar('"');
}

static char *kept(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return strcpy(copy, text);
}

static void need(int good) {
  if (!good) exit(4);
}

/* There are no such seats: nothing happens. */
static void try_seats(game_words *words, game_state *state, int32_t action) {
  const int32_t seats[] = {-1, 50, 1000000, -1000000};
  game_state before = *state;
  for (int k = 0; k < 4; k++) {
    need(!game_apply_telling(words, state, seats[k], action, 0));
    need(game_words_code(words) == GAME_NO_SUCH_SEAT && !game_choices(words, state, seats[k]));
    need(k < 1 || (!game_text(words, state, seats[k]) == (seats[k] > 0)));
    need(!game_apply_telling(words, state, 0, action, 50) && game_words_code(words) < 0);
  }
  need(!memcmp(&before, state, sizeof before));
}

static void say(game_words *words, const game_state *state, int seat, uint64_t k) {
  game_state again;
  int asked = game_must_decide(state) >> seat & 1;
  printf("{\"view\": %s", game_view(words, state, seat));
  printf(", \"text\": ");
  quote(game_text(words, state, seat));
  printf(", \"headline\": ");
  quote(game_headline(words, state, seat));
  const char *picture = game_picture(words, state, seat, "dark column");
  printf(", \"picture\": %s", strncmp(picture, "<svg", 4) ? "false" : "true");
  printf(", \"choices\": %s", game_choices(words, state, seat));
  if (asked) {
    int32_t chosen = game_scripted(state, seat);
    again = *state;
    need(!game_apply_telling(words, &again, seat, -1, seat));
    need(game_words_code(words) == GAME_ILLEGAL_ACTION && !memcmp(&again, state, sizeof again));
    try_seats(words, &again, game_scripted(state, seat));
    printf(", \"chosen\": %d, \"events\": %s", chosen,
      game_apply_telling(words, &again, seat, chosen, seat));
    printf(", \"after\": %s", game_to_json(words, &again));
  }
  char *snapshot = kept(game_to_json(words, state));
  need(!game_from_json(words, &again, snapshot));
  need(!strcmp(snapshot, game_to_json(words, &again)));
  need(!game_from_view(words, &again, game_view(words, state, seat), seat, k));
  printf(", \"snapshot\": %s, \"again\": %s}\n", snapshot,
    strcmp(snapshot, game_to_json(words, &again)) ? "false" : "true");
  free(snapshot);
}

/* Names for the seats are taken or refused, and are in what is said. */
static void try_names(game_words *words) {
  game_options options;
  game_state state;
  game_default_options(&options);
  need(!game_deal(&state, &options, 1) && !game_words_names(words, "[\"Annabel\"]"));
  need(strstr(game_text(words, &state, -1), "Annabel") != 0);
  need(game_words_names(words, "[3]") < 0 && *game_words_reason(words));
  need(strstr(game_text(words, &state, -1), "Annabel") != 0);
  need(!game_words_names(words, "[]") && !strstr(game_text(words, &state, -1), "Annabel"));
}

int main(void) {
  static char line[1 << 22];
  need(game_interface_version() == GAME_INTERFACE);
  game_words *words = game_words_open();
  need(words != 0);
  try_names(words);
  for (uint64_t k = 0; fgets(line, sizeof line, stdin); k++) {
    line[strcspn(line, "\n")] = 0;
    char *json = strchr(line, '\t') + 1;
    game_state state, before;
    memset(&state, (int)k, sizeof state);
    before = state;
    int seat = atoi(line), is_position = *line == '-';
    int32_t code = is_position ? game_from_json(words, &state, json)
                               : game_from_view(words, &state, json, seat, k);
    if (code) {
      need(!memcmp(&state, &before, sizeof state));
      printf("{\"code\": %d, \"refused\": ", code);
      quote(game_words_reason(words));
      printf("}\n");
    } else if (is_position) {
      printf("{\"state\": \"");
      for (size_t i = 0; i < sizeof state; i++) printf("%02x", ((uint8_t *)&state)[i]);
      printf("\"}\n");
    } else say(words, &state, seat, k);
  }
  game_words_close(words);
  return 0;
}
