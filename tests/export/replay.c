/* Plays episodes with an exported game and writes to stdout all that comes out: what traces.py does
   in Python. A line of stdin is an episode; what is written are blocks, each after its length, and
   -1, steps, over at an episode's end. All memory that the library is given lies between two pages
   that nobody may touch. replay [WEIGHTS] < PLAN */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <sys/mman.h>
#include <unistd.h>
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

#ifndef SHORT
#define SHORT 0 /* bytes by which the mask is too short: to see that the pages are watched */
#endif

/* Memory that ends where one page begins that nobody may touch, or begins where one ends. Blocks
   that must begin at a multiple of 8 bytes may end up to 7 bytes before the page. */
enum { BYTES = 1, BLOCK = 8 };
static void *guarded(size_t size, size_t unit, int at_end) {
#ifdef _WIN32
  return malloc(size);
#else
  size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (size + page - 1) / page * page;
  char *place = mmap(0, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED || mprotect(place + page, inside, PROT_READ | PROT_WRITE)) exit(2);
  return place + page + (at_end ? (inside - size) / unit * unit : 0);
#endif
}

/* A position that nobody may write to, until it is let go. */
static void keep(const game_state *state, int kept) {
#ifdef _WIN32
  (void)state, (void)kept;
#else
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)state / page * page;
  size_t size = (uintptr_t)(state + 1) - first;
  if (mprotect((void *)first, size, kept ? PROT_READ : PROT_READ | PROT_WRITE)) exit(2);
#endif
}

enum { OBSERVED = GAME_OBSERVATION_SIZE * sizeof(float), GAMES = 3 };

/* All that the library is given, at one side of the pages. */
typedef struct {
  game_options *options;
  game_state *state, *other;
  int8_t *mask;
  int32_t *legal, *scores;
  float *observation;
  double *returns;
  uint64_t *generator;
  game_batch *batch;
  void *batch_memory, *policy_memory, *search_memory;
  size_t policy_size, search_size;
} Own;

static Own own_memory(int at_end, const game_policy *policy) {
  size_t size = policy ? (size_t)game_policy_memory(policy) : 0;
  return (Own){
    guarded(sizeof(game_options), BYTES, at_end),
    guarded(sizeof(game_state), BYTES, at_end),
    guarded(sizeof(game_state), BYTES, at_end),
    guarded(GAME_NUM_ACTIONS - SHORT, BYTES, at_end),
    guarded(GAME_NUM_ACTIONS * sizeof(int32_t), BYTES, at_end),
    guarded(GAME_MAX_PLAYERS * sizeof(int32_t), BYTES, at_end),
    guarded(OBSERVED, BYTES, at_end),
    guarded(GAME_MAX_PLAYERS * sizeof(double), BYTES, at_end),
    guarded(sizeof(uint64_t), BYTES, at_end),
    guarded(sizeof(game_batch), BYTES, at_end),
    guarded((size_t)game_batch_memory(GAMES, 1), BYTES, at_end),
    guarded(size, BLOCK, at_end),
    0,
    size,
    0,
  };
}

/* Plays some steps of a few games at a time. */
static void play_batch(const Own *own, uint64_t seed) {
  need(game_batch_begin(own->batch, GAMES, 1, GAME_REWARD_SCORE, own->options, seed,
    own->batch_memory, (size_t)game_batch_memory(GAMES, 1)));
  for (int step = 0; step < 20; step++) {
    need(step % 8 ? game_batch_random(own->batch) : game_batch_scripted(own->batch));
    need(game_batch_step(own->batch));
  }
}

static void *file_content(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void *content = guarded(*size, BLOCK, 1);
  if (fread(content, 1, *size, file) != *size) exit(2);
  fclose(file);
  return content;
}

int main(int argc, char **argv) {
#ifdef _WIN32
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  game_policy *policy = 0;
  if (argc > 1) {
    policy = guarded(sizeof *policy, BLOCK, 1);
    size_t size;
    void *weights = file_content(argv[1], &size);
    need(game_policy_open(policy, weights, size));
  }

  char search[256], given[1024];
  uint64_t seed, first;
  int most, every, search_every, with_state, with_policy;
  Own both[] = {own_memory(1, policy), own_memory(0, policy)};
  for (int episode = 0;
       scanf("%" SCNu64 " %" SCNu64 " %d %d %d %d %d %255s %1023s", &seed, &first, &most, &every,
         &search_every, &with_state, &with_policy, search, given)
       == 9;
       episode++) {
    Own *own = &both[episode % 2];
    game_options *options = own->options;
    game_state *state = own->state, *other = own->other;
    int8_t *mask = own->mask;
    float *observation = own->observation;
    uint64_t *generator = own->generator;
    *generator = first;
    game_default_options(options);
    for (char *word = strtok(given, ","); word; word = strtok(0, ",")) {
      char *value = strchr(word, '=');
      if (!value) continue;
      *value = 0;
      need(game_set_option(options, word, value + 1));
    }
    need(game_deal(state, options, seed));
    play_batch(own, seed);
    int32_t steps = 0;
    for (; steps < most && !game_over(state); steps++) {
      int32_t seat = game_to_move(state);
      keep(state, 1);
      need(game_legal(state, seat, mask, own->legal));
      need(game_observe(state, seat, observation));
      add(mask, GAME_NUM_ACTIONS);
      add(observation, OBSERVED);
      if (with_state) add(state, sizeof *state);
      int32_t action = game_random(state, seat, generator);
      number(action);
      if (steps % every == 0) {
        int32_t scripted = game_scripted(state, seat);
        number(scripted);
        if (steps / every % 2 == 0) action = scripted;
      }
      if (steps % 32 == 0) {
        for (int32_t p = 0; p < state->num_players; p++) {
          *other = *state;
          need(game_determinize(other, p, (uint64_t)steps));
          add(other, sizeof *other);
          need(game_observe(state, p, observation));
          need(game_mask(state, p, mask));
          add(observation, OBSERVED);
          add(mask, GAME_NUM_ACTIONS);
        }
      }
      if (search[0] != '-' && steps % search_every == 0) {
        game_search_settings settings;
        need(game_search_parse(&settings, search));
        const game_policy *guide = settings.guided ? policy : 0;
        int64_t size = game_search_memory(&settings, guide);
        if ((size_t)size > own->search_size)
          own->search_memory = guarded(own->search_size = (size_t)size, BLOCK, episode % 2 == 0);
        int32_t chosen = game_search(
          &settings, guide, state, seat, own->search_memory, own->search_size);
        number(chosen);
        if (steps % (2 * search_every) == 0) action = chosen;
      }
      if (with_policy) number(game_policy_choose(
          policy, state, seat, 0, own->policy_memory, own->policy_size));
      keep(state, 0);
      need(game_apply(state, seat, action));
    }
    add(state, sizeof *state);
    need(game_scores(state, own->scores));
    add(own->scores, (size_t)state->num_players * sizeof *own->scores);
    if (game_over(state)) {
      need(game_returns(state, own->returns));
      add(own->returns, (size_t)state->num_players * sizeof *own->returns);
    }
    int32_t end[3] = {-1, steps, game_over(state)};
    fwrite(end, sizeof end, 1, stdout);
  }
  return 0;
}
