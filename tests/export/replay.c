/* Plays episodes with an exported game and writes to stdout all that comes out: what traces.py does
   in Python. A line of stdin is an episode; what is written are blocks, each after its length, and
   -1, steps, over at an episode's end. replay [WEIGHTS] < PLAN */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "game.h"

static void add(const void *bytes, size_t size) {
  int32_t length = (int32_t)size;
  fwrite(&length, 4, 1, stdout);
  fwrite(bytes, 1, size, stdout);
}

static void number(int32_t value) {
  if (value < 0) {
    fprintf(stderr, "%s\n", game_error(value));
    exit(1);
  }
  add(&value, 4);
}

static void need(int32_t code) {
  if (code >= 0) return;
  fprintf(stderr, "%s\n", game_error(code));
  exit(1);
}

static void *file_content(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void *content = malloc(*size);
  if (fread(content, 1, *size, file) != *size) exit(2);
  fclose(file);
  return content;
}

int main(int argc, char **argv) {
#ifdef _WIN32
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  static game_state state, other;
  static int8_t mask[GAME_NUM_ACTIONS];
  static float observation[GAME_OBSERVATION_SIZE];
  game_policy policy;
  void *scratch = 0, *memory = 0;
  size_t scratch_size = 0, memory_size = 0;
  if (argc > 1) {
    size_t size;
    void *weights = file_content(argv[1], &size);
    need(game_policy_open(&policy, weights, size));
    scratch_size = (size_t)game_policy_memory(&policy);
    scratch = malloc(scratch_size);
  }

  char search[256], given[1024];
  uint64_t seed, generator;
  int most, every, search_every, with_state, with_policy;
  while (scanf("%" SCNu64 " %" SCNu64 " %d %d %d %d %d %255s %1023s", &seed, &generator, &most,
           &every, &search_every, &with_state, &with_policy, search, given)
    == 9) {
    game_options options;
    game_default_options(&options);
    for (char *word = strtok(given, ","); word; word = strtok(0, ",")) {
      char *value = strchr(word, '=');
      if (!value) continue;
      *value = 0;
      need(game_set_option(&options, word, value + 1));
    }
    need(game_deal(&state, &options, seed));
    int32_t steps = 0;
    for (; steps < most && !game_over(&state); steps++) {
      int32_t seat = game_to_move(&state);
      need(game_mask(&state, seat, mask));
      need(game_observe(&state, seat, observation));
      add(mask, sizeof mask);
      add(observation, sizeof observation);
      if (with_state) add(&state, sizeof state);
      int32_t action = game_random(&state, seat, &generator);
      number(action);
      if (steps % every == 0) {
        int32_t scripted = game_scripted(&state, seat);
        number(scripted);
        if (steps / every % 2 == 0) action = scripted;
      }
      if (steps % 32 == 0) {
        for (int32_t p = 0; p < state.num_players; p++) {
          other = state;
          need(game_determinize(&other, p, (uint64_t)steps));
          add(&other, sizeof other);
          need(game_observe(&state, p, observation));
          need(game_mask(&state, p, mask));
          add(observation, sizeof observation);
          add(mask, sizeof mask);
        }
      }
      if (search[0] != '-' && steps % search_every == 0) {
        game_search_settings settings;
        need(game_search_parse(&settings, search));
        const game_policy *guide = settings.guided ? &policy : 0;
        int64_t size = game_search_memory(&settings, guide);
        if ((size_t)size > memory_size) memory = realloc(memory, memory_size = (size_t)size);
        int32_t chosen = game_search(&settings, guide, &state, seat, memory, memory_size);
        number(chosen);
        if (steps % (2 * search_every) == 0) action = chosen;
      }
      if (with_policy) number(game_policy_choose(&policy, &state, seat, scratch, scratch_size));
      need(game_apply(&state, seat, action));
    }
    int32_t scores[GAME_MAX_PLAYERS];
    double returns[GAME_MAX_PLAYERS];
    add(&state, sizeof state);
    need(game_scores(&state, scores));
    add(scores, (size_t)state.num_players * sizeof *scores);
    if (game_over(&state)) {
      need(game_returns(&state, returns));
      add(returns, (size_t)state.num_players * sizeof *returns);
    }
    int32_t end[3] = {-1, steps, game_over(&state)};
    fwrite(end, sizeof end, 1, stdout);
  }
  return 0;
}
