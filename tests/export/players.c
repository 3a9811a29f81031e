/* Prints for each question, one in a line of stdin, what players.mjs prints: a seat, a seed, a name,
   a memory (- for none, = for that of the last answer for the seat), and a position, with tabs
   between. players WEIGHTS ... < QUESTIONS */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game.h"

static void need(int good) {
  if (!good) exit(4);
}

static void quote(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

/* A policy that remembers needs its memory, and guides no search. */
static void check_memory(const void *weights, size_t size) {
  game_policy policy;
  game_options options;
  game_search_settings settings;
  game_state state;
  need(!game_policy_open(&policy, weights, size));
  int64_t count = game_policy_remembers(&policy), needed = game_policy_memory(&policy);
  if (!count) return;
  need(!game_default_options(&options) && !game_deal(&state, &options, 1));
  int32_t seat = game_to_move(&state);
  float *remembered = calloc((size_t)count, sizeof *remembered);
  void *memory = malloc((size_t)needed);
  need(remembered && memory);
  need(game_policy_choose(&policy, &state, seat, 0, memory, (size_t)needed) == GAME_WRONG_MEMORY);
  need(game_policy_choose(&policy, &state, seat, remembered, memory, (size_t)needed - 1)
    == GAME_TOO_LITTLE_MEMORY);
  need(game_policy_choose(&policy, &state, seat, remembered, memory, (size_t)needed) >= 0);
  need(remembered[count - 1] != 0);
  remembered[count - 1] = HUGE_VALF;
  need(game_policy_choose(&policy, &state, seat, remembered, memory, (size_t)needed)
    == GAME_WRONG_MEMORY);
  need(!game_search_parse(&settings, "search:sims=5:guide=policy"));
  need(game_search_memory(&settings, &policy) == GAME_WRONG_MEMORY);
  free(remembered);
  free(memory);
}

static void load(game_words *words, const char *path) {
  static uint64_t content[8][1 << 20];
  static int count;
  FILE *file = fopen(path, "rb");
  need(file && count < 8);
  size_t size = fread(content[count], 1, sizeof content[count], file);
  fclose(file);
  need(game_load_policy(words, content[count], size - 1) == GAME_WRONG_SIZE);
  need(game_load_policy(words, (char *)content[count] + 4, size - 4) == GAME_MISALIGNED);
  need(strstr(game_words_reason(words), "multiple of 8") != 0);
  need(game_load_policy(words, 0, 0) == GAME_NO_POLICY);
  check_memory(content[count], size);
  need(!game_load_policy(words, content[count++], size));
}

/* A seat's view is enough. */
static void check_view(game_words *words, const game_state *state, int32_t seat, const char *name,
  char *memory, int32_t action, const char *after) {
  static char view[1 << 16];
  game_state other;
  strncpy(view, game_view(words, state, seat), sizeof view - 1);
  need(!game_from_view(words, &other, view, seat, 5));
  need(game_choose(words, &other, seat, name, 0, memory) == action && !strcmp(memory, after));
}

int main(int count, char **paths) {
  static char line[1 << 20], kept[GAME_MAX_PLAYERS][GAME_PLAYER_MEMORY];
  game_words *words = game_words_open();
  need(words != 0);
  for (int k = 1; k < count; k++) load(words, paths[k]);
  while (fgets(line, sizeof line, stdin)) {
    const char *parts[5];
    char memory[GAME_PLAYER_MEMORY], before[GAME_PLAYER_MEMORY], quoted[256];
    game_state state, same;
    line[strcspn(line, "\n")] = 0;
    parts[0] = strtok(line, "\t");
    for (int k = 1; k < 5; k++) parts[k] = strtok(0, "\t");
    need(!game_from_json(words, &state, parts[4]));
    same = state;
    memset(memory, 'x', sizeof memory); /* no end, if the text is too long */
    int32_t seat = atoi(parts[0]), goes_on = *parts[3] == '=';
    const char *given = goes_on ? kept[seat] : parts[3] + 1;
    uint64_t seed = strtoull(parts[1], 0, 10);
    if (strlen(given) < sizeof memory) strcpy(memory, given);
    memcpy(before, memory, sizeof memory);
    int32_t action = game_choose(
      words, &state, seat, parts[2], seed, *parts[3] == '-' ? 0 : memory);
    need(!memcmp(&state, &same, sizeof state));
    if (action < 0) {
      need(!memcmp(memory, before, sizeof memory) && action == game_words_code(words));
      printf("{\"code\": %d, \"refused\": ", action);
      quote(game_words_reason(words));
    } else {
      need(!game_words_code(words) && !*game_words_reason(words));
      snprintf(quoted, sizeof quoted, "\"%s\"", parts[2]);
      printf("{\"action\": %d, \"memory\": \"%s\", \"offered\": %s", action, memory,
        strstr(game_players(words, &state), quoted) ? "true" : "false");
      if (*parts[3] != '-') strcpy(kept[seat], memory);
      if (goes_on && seed % 8 == 0)
        check_view(words, &state, seat, parts[2], before, action, memory);
    }
    printf("}\n");
  }
  game_words_close(words);
  return 0;
}
