/* What is checked before compiled rules are called. @ENVIRONMENT@ */
#include "game.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#ifdef __wasm__
#define EXPORTED(name) __attribute__((export_name(#name), visibility("default")))
#elif defined(_WIN32)
#define EXPORTED(name) __declspec(dllexport)
#else
#define EXPORTED(name) __attribute__((visibility("default")))
#endif

/* ------------------------------------------------------------ memory of compiled code */

typedef struct {
  int64_t count;
  void *destructor, *told, *data;
  int64_t size;
} dig_block;

#define dig_take GAME_INNER(take)
#define dig_give_back GAME_INNER(give_back)

dig_block *dig_take(int64_t size, uint32_t align);
void dig_give_back(dig_block *block);

dig_block *dig_take(int64_t size, uint32_t align) {
  dig_block *block = (dig_block *)malloc(sizeof(dig_block) + (size_t)size + align);
  if (!block) return 0;
  uintptr_t data = (uintptr_t)(block + 1);
  if (align > 1) data = (data + align - 1) / align * align;
  *block = (dig_block){1, 0, 0, (void *)data, size};
  return block;
}

void dig_give_back(dig_block *block) { free(block); }

/* ------------------------------------------------------------ compiled rules */

/* They return 0, or an error that they have raised: there is none but lack of memory. */
#define RULES(name, result, ...) extern int32_t GAME_INNER(name)(result *, void **, __VA_ARGS__)

RULES(setup, void *, game_state *, uint64_t);
RULES(mask, void *, game_state *, int64_t, int8_t *);
RULES(apply, void *, game_state *, int64_t, int64_t);
RULES(observe, void *, game_state *, int64_t, float *);
RULES(returns, void *, const game_state *, double *);
RULES(redeal, void *, game_state *, int64_t, uint64_t);
RULES(heuristic, int64_t, game_state *, int64_t);
RULES(random, int64_t, int8_t *, uint64_t *);

#define CALL(name, ...)                                                             \
  do {                                                                              \
    void *nothing, *raised = 0;                                                     \
    if (GAME_INNER(name)(&nothing, &raised, __VA_ARGS__)) return GAME_OUT_OF_MEMORY; \
  } while (0)

#define ASK(name, result, ...)                                                      \
  do {                                                                              \
    void *raised = 0;                                                               \
    if (GAME_INNER(name)(result, &raised, __VA_ARGS__)) return GAME_OUT_OF_MEMORY;  \
  } while (0)

static int has_seat(const game_state *state, int32_t seat) { return seat >= 0 && seat < state->num_players; }

/* ------------------------------------------------------------ words */

EXPORTED(game_error) const char *game_error(int32_t code) {
  switch (code) {
  case GAME_ILLEGAL_ACTION: return "the action is not legal for the seat now";
  case GAME_NO_SUCH_SEAT: return "there is no such seat in this game";
  case GAME_NOT_TO_MOVE: return "the seat is not to decide now";
  case GAME_NOT_OVER: return "the game is not over";
  case GAME_UNKNOWN_OPTION: return "the game has no such option";
  case GAME_BAD_OPTION: return "the option does not have such a value";
  case GAME_OPTIONS_DISAGREE: return "these options do not go together";
  case GAME_UNKNOWN_SETTING: return "the search has no such setting";
  case GAME_BAD_SETTING: return "the setting does not have such a value";
  case GAME_NEEDS_POLICY: return "the settings of the search need a policy";
  case GAME_TOO_LITTLE_MEMORY: return "the memory is too small, or does not begin at a multiple of 8 bytes";
  case GAME_NO_POLICY: return "these are no weights of a policy";
  case GAME_OTHER_VERSION: return "the weights have the format of another version";
  case GAME_OTHER_GAME: return "the weights are for another game, or for other observations or actions";
  case GAME_WRONG_SIZE: return "the weights have another size than they say";
  case GAME_DAMAGED: return "the weights are damaged";
  case GAME_NOT_TRAINED_FOR: return "the policy was not trained for this number of players";
  case GAME_BAD_ARGUMENT: return "an argument is out of range";
  case GAME_OUT_OF_MEMORY: return "there is no memory left";
  default: return code < 0 ? "there is no such error" : "no error";
  }
}

EXPORTED(game_description) const char *game_description(void) { return game_json; }

/* ------------------------------------------------------------ options */

static int same(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++) {}
  return *a == *b;
}

static int whole(const char *text, int64_t *number) {
  int64_t sign = 1, found = 0;
  if (*text == '-') sign = -1, text++;
  if (!*text) return 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9' || found > 100000000000000000) return 0;
    found = found * 10 + (*text - '0');
  }
  *number = sign * found;
  return 1;
}

static int32_t *option_place(game_options *options, int k) { return (int32_t *)((char *)options + game_option_table[k].offset); }

static int is_value(const game_option *option, int64_t value) {
  return value >= option->least && value <= option->most && (value - option->least) % option->step == 0;
}

EXPORTED(game_default_options) int32_t game_default_options(game_options *options) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++) *option_place(options, k) = game_option_table[k].usual;
  return 0;
}

EXPORTED(game_set_option) int32_t game_set_option(game_options *options, const char *name, const char *value) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++) {
    const game_option *option = &game_option_table[k];
    if (!same(option->name, name)) continue;
    if (option->words) {
      for (int32_t i = 0; option->words[i]; i++) {
        if (!same(option->words[i], value)) continue;
        *option_place(options, k) = option->least + i;
        return 0;
      }
      return GAME_BAD_OPTION;
    }
    int64_t number;
    if (!whole(value, &number) || !is_value(option, number)) return GAME_BAD_OPTION;
    *option_place(options, k) = (int32_t)number;
    return 0;
  }
  return GAME_UNKNOWN_OPTION;
}

static int32_t check_options(const game_options *options) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++)
    if (!is_value(&game_option_table[k], *option_place((game_options *)options, k))) return GAME_BAD_OPTION;
  return game_refused(options) ? GAME_OPTIONS_DISAGREE : 0;
}

/* ------------------------------------------------------------ playing */

static void put_options(game_state *state, const game_options *options) {
  memset(state, 0, sizeof *state);
  game_put_options(state, options);
}

EXPORTED(game_deal) int32_t game_deal(game_state *state, const game_options *options, uint64_t seed) {
  int32_t error = check_options(options);
  if (error) return error;
  put_options(state, options);
  CALL(setup, state, seed);
  return 0;
}

EXPORTED(game_to_move) int32_t game_to_move(const game_state *state) { return state->to_move; }

EXPORTED(game_must_decide) int32_t game_must_decide(const game_state *state) {
  int32_t bits = 0;
  for (int p = 0; p < state->num_players; p++) bits |= (state->owes[p] != 0) << p;
  return bits;
}

EXPORTED(game_over) int32_t game_over(const game_state *state) { return state->over != 0; }

EXPORTED(game_mask) int32_t game_mask(game_state *state, int32_t seat, int8_t *mask) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  CALL(mask, state, seat, mask);
  int32_t count = 0;
  for (int a = 0; a < GAME_NUM_ACTIONS; a++) count += mask[a];
  return count;
}

EXPORTED(game_apply) int32_t game_apply(game_state *state, int32_t seat, int32_t action) {
  int8_t mask[GAME_NUM_ACTIONS];
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  if (state->over || !state->owes[seat]) return GAME_NOT_TO_MOVE;
  if (action < 0 || action >= GAME_NUM_ACTIONS) return GAME_ILLEGAL_ACTION;
  CALL(mask, state, seat, mask);
  if (!mask[action]) return GAME_ILLEGAL_ACTION;
  CALL(apply, state, seat, action);
  return 0;
}

EXPORTED(game_apply_unchecked) int32_t game_apply_unchecked(game_state *state, int32_t seat, int32_t action) {
  CALL(apply, state, seat, action);
  return 0;
}

EXPORTED(game_observe) int32_t game_observe(game_state *state, int32_t seat, float *observation) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  memset(observation, 0, GAME_OBSERVATION_SIZE * sizeof *observation);
  CALL(observe, state, seat, observation);
  return 0;
}

EXPORTED(game_returns) int32_t game_returns(const game_state *state, double *returns) {
  if (!state->over) return GAME_NOT_OVER;
  memset(returns, 0, GAME_MAX_PLAYERS * sizeof *returns);
  CALL(returns, state, returns);
  return 0;
}

EXPORTED(game_scores) int32_t game_scores(const game_state *state, int32_t *scores) {
  memcpy(scores, state->scores, GAME_MAX_PLAYERS * sizeof *scores);
  return 0;
}

EXPORTED(game_determinize) int32_t game_determinize(game_state *state, int32_t seat, uint64_t seed) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  if (state->over) return GAME_NOT_TO_MOVE;
  CALL(redeal, state, seat, seed);
  return 0;
}

/* ------------------------------------------------------------ players */

static int32_t check_mover(const game_state *state, int32_t seat) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  return state->over || !state->owes[seat] ? GAME_NOT_TO_MOVE : 0;
}

EXPORTED(game_random) int32_t game_random(game_state *state, int32_t seat, uint64_t *generator) {
  int8_t mask[GAME_NUM_ACTIONS];
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  CALL(mask, state, seat, mask);
  ASK(random, &action, mask, generator);
  return (int32_t)action;
}

EXPORTED(game_scripted) int32_t game_scripted(game_state *state, int32_t seat) {
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  ASK(heuristic, &action, state, seat);
  return (int32_t)action;
}

/* ------------------------------------------------------------ memory for hosts that have none of their own */

#ifdef __wasm__
EXPORTED(game_take) void *game_take(size_t size) { return malloc(size); }
EXPORTED(game_give_back) void game_give_back(void *memory) { free(memory); }
#endif
