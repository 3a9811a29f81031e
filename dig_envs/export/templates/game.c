/* What is checked before compiled rules are called. @ENVIRONMENT@ */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#ifdef _WIN32
#define GAME_API __declspec(dllexport)
#else
#define GAME_API __attribute__((visibility("default")))
#endif

#include "game.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#endif

#ifdef __wasm__
#define EXPORTED(name) __attribute__((export_name(#name)))
#else
#define EXPORTED(name)
#endif

/* ------------------------------------------------------------ memory of compiled code */

#ifdef __wasm__
/* Without C's library, which takes Zig half a minute to compile. A size is rounded up to one of four between a power of
   two and the next; what is given back waits for the next block of that size. */
typedef struct heap_block {
  struct heap_block *next;
  uint32_t kind, _gap[2]; /* data begin at a multiple of 16 */
} heap_block;

extern unsigned char __heap_base[];
static heap_block *heap_waiting[128];
static uintptr_t heap_end;

static void *heap_take(size_t size) {
  if (size > INT32_MAX) return 0;
  uint32_t last = (uint32_t)(size + sizeof(heap_block) - 1) | 64;
  int shift = 29 - __builtin_clz(last);
  uint32_t kind = (last >> shift) + 4 * (uint32_t)shift;
  heap_block *block = heap_waiting[kind];
  if (block) {
    heap_waiting[kind] = block->next;
    return block + 1;
  }
  if (!heap_end) heap_end = ((uintptr_t)__heap_base + 15) & ~(uintptr_t)15;
  block = (heap_block *)heap_end;
  uint64_t end = (uint64_t)heap_end + (((last >> shift) + 1) << shift);
  uint64_t pages = (end + 65535) / 65536, present = __builtin_wasm_memory_size(0);
  if (pages > present
    && (pages > 65535 || __builtin_wasm_memory_grow(0, pages - present) == (size_t)-1)) return 0;
  heap_end = (uintptr_t)end;
  block->kind = kind;
  return block + 1;
}

static void heap_give_back(void *memory) {
  if (!memory) return;
  heap_block *block = (heap_block *)memory - 1;
  block->next = heap_waiting[block->kind];
  heap_waiting[block->kind] = block;
}
#else
#define heap_take malloc
#define heap_give_back free
#endif

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
  dig_block *block = (dig_block *)heap_take(sizeof(dig_block) + (size_t)size + align);
  if (!block) return 0;
  uintptr_t data = (uintptr_t)(block + 1);
  if (align > 1) data = (data + align - 1) / align * align;
  *block = (dig_block){1, 0, 0, (void *)data, size};
  return block;
}

void dig_give_back(dig_block *block) { heap_give_back(block); }

#ifdef __wasm__
/* ------------------------------------------------------------ logarithms */

/* Zig's have tables of 4 KB, which no compression makes smaller. As in FreeBSD's e_log.c,
   log(1 + f) = 2 s + s R(s²) with s = f / (2 + f); here s has two parts, so that the error is
   nearly as small as that of C's library, half a unit in the last place. */
static double upper_half(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= ~(uint64_t)0 << 28;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

double log(double x) {
  static const double R[7] = {1.479819860511658591e-01, 1.531383769920937332e-01,
    1.818357216161805012e-01, 2.222219843214978396e-01, 2.857142874366239149e-01,
    3.999999999940941908e-01, 6.666666666666735130e-01};
  const uint64_t middle = 0x3fe6a09eULL << 32; /* the square root of 1/2 */
  uint64_t bits;
  double k = 0;
  if (!(x > 0) || x == HUGE_VAL) return x == 0 ? -HUGE_VAL : x < 0 ? (x - x) / 0.0 : x;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  memcpy(&bits, &x, sizeof bits);
  bits -= middle;
  k += (double)((int64_t)bits >> 52);
  bits = (bits & ~(uint64_t)0 >> 12) + middle;
  memcpy(&x, &bits, sizeof bits);
  double f = x - 1, d = 2 + f, s = f / d, z = s * s, r = 0;
  for (int i = 0; i < 7; i++) r = (r + R[i]) * z;
  double s_high = upper_half(s), d_high = upper_half(d);
  double s_low = (f - s_high * d_high - s_high * (f - (d_high - 2))) / d;
  double of_k = k * 6.93147180369123816490e-01, high = of_k + 2 * s_high;
  double low = of_k - high + 2 * s_high;
  return high + (low + (2 * s_low + (s * r + k * 1.90821492927058770002e-10)));
}
#endif

/* ------------------------------------------------------------ compiled rules */

/* They return 0, or an error that they have raised: there is none but lack of memory. */
#define RULES(name, result, ...) extern int32_t GAME_INNER(name)(result *, void **, __VA_ARGS__)

RULES(setup, void *, game_state *, uint64_t);
RULES(mask, void *, const game_state *, int64_t, int8_t *);
RULES(apply, void *, game_state *, int64_t, int64_t);
RULES(observe, void *, const game_state *, int64_t, float *);
RULES(returns, void *, const game_state *, double *);
RULES(redeal, void *, game_state *, int64_t, uint64_t);
RULES(heuristic, int64_t, const game_state *, int64_t);
RULES(random, int64_t, int8_t *, uint64_t *);
RULES(grave, void *, const game_state *, int64_t, int8_t *, game_state *, int8_t *);

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

static int has_seat(const game_state *state, int32_t seat) {
  return seat >= 0 && seat < state->num_players;
}

/* ------------------------------------------------------------ words */

EXPORTED(game_error) const char *game_error(int32_t code) {
  switch (code) {
  case GAME_ILLEGAL_ACTION: return "the action is not legal for the seat now";
  case GAME_NO_SUCH_SEAT: return "there is no such seat in this game";
  case GAME_NOT_TO_MOVE: return "the seat is not to decide now";
  case GAME_NOT_OVER: return "the game is not over";
  case GAME_UNKNOWN_OPTION: return "the game has no such option";
  case GAME_BAD_OPTION: return "the option does not have such a value";
  case GAME_OPTIONS_DISAGREE:
    return "these options do not go together, or the variant decides one of them";
  case GAME_UNKNOWN_SETTING: return "the search has no such setting";
  case GAME_BAD_SETTING: return "the setting does not have such a value";
  case GAME_NEEDS_POLICY: return "the settings of the search need a policy";
  case GAME_TOO_LITTLE_MEMORY: return "the memory is too small";
  case GAME_NO_POLICY: return "these are no weights of a policy";
  case GAME_OTHER_VERSION: return "the weights have the format of another version";
  case GAME_OTHER_GAME:
    return "the weights are for another game, or for other observations or actions";
  case GAME_WRONG_SIZE: return "the weights have another size than they say";
  case GAME_DAMAGED: return "the weights are damaged";
  case GAME_NOT_TRAINED_FOR:
    return "the policy was not trained for these options (one is the number of players)";
  case GAME_BAD_ARGUMENT: return "an argument is out of range";
  case GAME_OUT_OF_MEMORY: return "there is no memory left";
  case GAME_BAD_POSITION: return "this is no position or view of the game";
  case GAME_MISALIGNED:
    return "the memory does not begin at a multiple of 8 bytes (of a batch, of 64)";
  case GAME_WRONG_MEMORY:
    return "the policy remembers: it needs its memory of the seat, and cannot guide a search";
  default: return code < 0 ? "there is no such error" : "no error";
  }
}

EXPORTED(game_interface_version) int32_t game_interface_version(void) { return GAME_INTERFACE; }

EXPORTED(game_description) const char *game_description(void) { return game_json; }

#ifndef __wasm__
const char *game_action_name(int32_t action) {
  return action >= 0 && action < GAME_NUM_ACTIONS ? game_actions[action] : 0;
}
#endif

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

/* Whether a number is written as it is printed: without zeros before it. */
static int plain(const char *text) {
  return text[0] == '0' ? !text[1] : text[0] != '-' || text[1] != '0';
}

static size_t part_length(const char *text) {
  size_t length = 0;
  while (text[length] && text[length] != '-') length++;
  return length;
}

/* Whether a text has the same parts, between hyphens, as one whose parts all differ. */
static int same_parts(const char *word, const char *text) {
  if (strlen(word) != strlen(text)) return 0;
  while (*word) {
    size_t length = part_length(word);
    const char *part = text;
    while (part_length(part) != length || memcmp(part, word, length)) {
      part += part_length(part);
      if (!*part++) return 0;
    }
    word += length + (word[length] == '-');
  }
  return 1;
}

static int32_t *option_place(game_options *options, int k) {
  return (int32_t *)((char *)options + game_option_table[k].offset);
}

static int is_value(const game_option *option, int64_t value) {
  return value >= option->least && value <= option->most
    && (value - option->least) % option->step == 0;
}

EXPORTED(game_default_options) int32_t game_default_options(game_options *options) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++) *option_place(options, k) = game_option_table[k].usual;
  return 0;
}

EXPORTED(game_set_option)
int32_t game_set_option(game_options *options, const char *name, const char *value) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++) {
    const game_option *option = &game_option_table[k];
    if (!same(option->name, name)) continue;
    if (option->words) {
      for (int32_t i = 0; option->words[i]; i++) {
        if (!(option->any_order ? same_parts : same)(option->words[i], value)) continue;
        *option_place(options, k) = option->least + i;
        return 0;
      }
      return GAME_BAD_OPTION;
    }
    int64_t number;
    if (!whole(value, &number) || !plain(value) || !is_value(option, number))
      return GAME_BAD_OPTION;
    *option_place(options, k) = (int32_t)number;
    return 0;
  }
  return GAME_UNKNOWN_OPTION;
}

static void put_options(game_state *state, const game_options *options) {
  memset(state, 0, sizeof *state);
  game_put_options(state, options);
}

static int32_t check_options(const game_options *options) {
  for (int k = 0; k < GAME_NUM_OPTIONS; k++)
    if (!is_value(&game_option_table[k], *option_place((game_options *)options, k)))
      return GAME_BAD_OPTION;
  if (game_refused(options)) return GAME_OPTIONS_DISAGREE;
#if GAME_VARIANT_DECIDES
  if (options->variant != 0 || options->variants != 1) {
    game_state state;
    put_options(&state, options);
    CALL(setup, &state, 0);
    game_options dealt = game_options_of(&state);
    if (game_decided(options, &dealt)) return GAME_OPTIONS_DISAGREE;
  }
#endif
  return 0;
}

/* ------------------------------------------------------------ playing */

EXPORTED(game_deal)
int32_t game_deal(game_state *state, const game_options *options, uint64_t seed) {
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

EXPORTED(game_mask) int32_t game_mask(const game_state *state, int32_t seat, int8_t *mask) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  CALL(mask, state, seat, mask);
  int32_t count = 0;
  for (int a = 0; a < GAME_NUM_ACTIONS; a++) count += mask[a];
  return count;
}

/* The legal actions of a mask, 8 of its bytes at a time; returns how many there are. */
static int32_t list_legal(const int8_t *mask, int32_t *legal) {
  int32_t count = 0;
  for (int32_t first = 0; first < GAME_NUM_ACTIONS; first += 8) {
    uint64_t bytes = 0;
    if (first + 8 <= GAME_NUM_ACTIONS) memcpy(&bytes, mask + first, 8);
    else memcpy(&bytes, mask + first, GAME_NUM_ACTIONS % 8); /* the mask ends there */
    for (; bytes; bytes &= bytes - 1) legal[count++] = first + (__builtin_ctzll(bytes) >> 3);
  }
  return count;
}

EXPORTED(game_legal)
int32_t game_legal(const game_state *state, int32_t seat, int8_t *mask, int32_t *legal) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  CALL(mask, state, seat, mask);
  return list_legal(mask, legal);
}

EXPORTED(game_play)
int32_t game_play(game_state *state, int32_t seat, int32_t action, int8_t *mask, int32_t *legal) {
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  if (state->over || !state->owes[seat]) return GAME_NOT_TO_MOVE;
  if (action < 0 || action >= GAME_NUM_ACTIONS || mask[action] != 1) return GAME_ILLEGAL_ACTION;
  CALL(apply, state, seat, action);
  if (!state->over) return game_legal(state, state->to_move, mask, legal);
  memset(mask, 0, GAME_NUM_ACTIONS);
  return 0;
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

EXPORTED(game_apply_unchecked)
int32_t game_apply_unchecked(game_state *state, int32_t seat, int32_t action) {
  CALL(apply, state, seat, action);
  return 0;
}

EXPORTED(game_observe) int32_t game_observe(const game_state *state, int32_t seat, float *observation) {
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

EXPORTED(game_determinize)
int32_t game_determinize(game_state *state, int32_t seat, uint64_t seed) {
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

EXPORTED(game_random) int32_t game_random(const game_state *state, int32_t seat, uint64_t *generator) {
  int8_t mask[GAME_NUM_ACTIONS];
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  CALL(mask, state, seat, mask);
  ASK(random, &action, mask, generator);
  return (int32_t)action;
}

EXPORTED(game_grave) int32_t game_grave(const game_state *state, int32_t seat, int8_t *kinds) {
  int8_t mask[GAME_NUM_ACTIONS];
  game_state work[2];
  int32_t count = 0, error = check_mover(state, seat);
  if (error) return error;
  CALL(mask, state, seat, mask);
  CALL(grave, state, seat, mask, work, kinds);
  for (int a = 0; a < GAME_NUM_ACTIONS; a++) count += kinds[a] != 0;
  return count;
}

EXPORTED(game_scripted) int32_t game_scripted(const game_state *state, int32_t seat) {
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  ASK(heuristic, &action, state, seat);
  return (int32_t)action;
}

/* ------------------------------------------------------------ many games */

RULES(batch_deal, void *, game_state *, game_state *, int64_t *, uint64_t *, int64_t);
RULES(batch_masks, void *, game_state *, int64_t *, int8_t *, int64_t);
RULES(batch_observe, void *, game_state *, int64_t *, float *, float *, int64_t);
RULES(batch_first_illegal, int64_t, uint8_t *, int8_t *, int64_t *, int64_t);
RULES(batch_random, void *, int8_t *, uint64_t *, int64_t *, int64_t);
RULES(batch_scripted, void *, game_state *, int64_t *, int64_t *, int64_t);
RULES(batch_step, void *, game_state *, game_state *, int64_t *, uint64_t *, int8_t *, float *,
  float *, int64_t *, float *, uint8_t *, uint8_t *, float *, int64_t *, game_state *, float *,
  int64_t *, int64_t, int64_t, uint8_t *, int64_t *, int64_t);

#define LINE 64
#define MOST_GAMES ((int64_t)1 << 31)

/* Lay the arrays of a batch out from an address on; returns how many bytes that takes. */
static int64_t lay_out(
  game_batch *batch, int64_t count, int32_t with_observations, unsigned char *memory) {
  int64_t end = 0;
#define PLACE(field, size)                                       \
  do {                                                           \
    if (memory) batch->field = (void *)(memory + end);           \
    end = (end + (int64_t)(size) + LINE - 1) / LINE * LINE;      \
  } while (0)
  PLACE(states, count * (int64_t)sizeof(game_state));
  PLACE(masks, count * GAME_NUM_ACTIONS);
  PLACE(observations, (with_observations ? count : 1) * (int64_t)GAME_OBSERVATION_SIZE * 4);
  PLACE(movers, count * 8);
  PLACE(rewards, count * GAME_MAX_PLAYERS * 4);
  PLACE(terminated, count);
  PLACE(turn_limit, count);
  PLACE(returns, count * GAME_MAX_PLAYERS * 4);
  PLACE(lengths, count * 8);
  PLACE(final_states, count * (int64_t)sizeof(game_state));
  PLACE(final_returns, count * GAME_MAX_PLAYERS * 4);
  PLACE(final_lengths, count * 8);
  PLACE(actions, count * 8);
  PLACE(playing, count);
  PLACE(generators, count * 8);
  PLACE(templates, (int64_t)sizeof(game_state));
  PLACE(template_of, count * 8);
  PLACE(seeds, count * 8);
#undef PLACE
  return end;
}

EXPORTED(game_batch_memory) int64_t game_batch_memory(int64_t count, int32_t with_observations) {
  if (count < 1 || count > MOST_GAMES) return GAME_BAD_ARGUMENT;
  return lay_out(0, count, with_observations, 0);
}

EXPORTED(game_batch_begin)
int32_t game_batch_begin(game_batch *batch, int64_t count, int32_t with_observations,
  int32_t reward_kind, const game_options *options, uint64_t seed, void *memory, size_t size) {
  int64_t needed = game_batch_memory(count, with_observations);
  if (needed < 0 || reward_kind < GAME_REWARD_WIN || reward_kind > GAME_REWARD_SCORE)
    return GAME_BAD_ARGUMENT;
  if ((uintptr_t)memory % LINE) return GAME_MISALIGNED;
  if ((uint64_t)needed > size) return GAME_TOO_LITTLE_MEMORY;
  int32_t error = check_options(options);
  if (error) return error;
  memset(memory, 0, (size_t)needed);
  batch->count = count;
  batch->reward_kind = reward_kind;
  lay_out(batch, count, with_observations, memory);
  put_options(batch->templates, options);
  for (int64_t i = 0; i < count; i++) {
    batch->seeds[i] = seed + (uint64_t)i;
    batch->generators[i] = ~batch->seeds[i];
    batch->playing[i] = 1;
  }
  CALL(batch_deal, batch->states, batch->templates, batch->template_of, batch->seeds, count);
  for (int64_t i = 0; i < count; i++) batch->movers[i] = batch->states[i].to_move;
  CALL(batch_masks, batch->states, batch->movers, batch->masks, count);
  if (!with_observations) batch->observations = 0;
  else
    CALL(
      batch_observe, batch->states, batch->movers, batch->observations, batch->observations, count);
  return 0;
}

EXPORTED(game_batch_step) int32_t game_batch_step(game_batch *batch) {
  int64_t first;
  /* not written to */
  float *seen = batch->observations ? batch->observations : (float *)batch->seeds;
  ASK(batch_first_illegal, &first, batch->playing, batch->masks, batch->actions, batch->count);
  if (first >= 0) return GAME_ILLEGAL_ACTION;
  CALL(batch_step, batch->states, batch->templates, batch->template_of, batch->generators,
    batch->masks, seen, seen, batch->movers, batch->rewards, batch->terminated, batch->turn_limit,
    batch->returns, batch->lengths, batch->final_states, batch->final_returns, batch->final_lengths,
    batch->reward_kind, batch->observations != 0, batch->playing, batch->actions, batch->count);
  return 0;
}

EXPORTED(game_batch_random) int32_t game_batch_random(game_batch *batch) {
  CALL(batch_random, batch->masks, batch->generators, batch->actions, batch->count);
  return 0;
}

EXPORTED(game_batch_scripted) int32_t game_batch_scripted(game_batch *batch) {
  CALL(batch_scripted, batch->states, batch->movers, batch->actions, batch->count);
  return 0;
}

/* ------------------------------------------------------------ policies */

#define NETWORK                                                                           \
  float *, int64_t, int64_t *, int64_t, int32_t *, int64_t, int64_t *, int64_t, int64_t *
#define NETWORK_OF(policy)                                                       \
  (float *)(policy)->weights, (policy)->num_weights, (int64_t *)(policy)->steps, \
    (policy)->num_steps, (int32_t *)(policy)->table, (policy)->num_places,       \
    (int64_t *)(policy)->heads, GAME_NUM_ACTIONS + 1, (int64_t *)(policy)->sizes

RULES(policy_size, int64_t, int64_t *);
RULES(policy_evaluate, void *, NETWORK, unsigned char *, float *, const int8_t *, float *, float *);

/* The beginning of the file of weights; steps, heads, table, weights and the options of the games
   that it was trained for follow, each rounded up to 8 bytes. */
typedef struct {
  char magic[8];
  uint32_t format, players;
  uint64_t layout_hash, actions_hash, checksum;
  int64_t size, num_steps, num_places, num_weights, num_games, sizes[7];
  double win_weight, score_weight;
  int32_t win_or_lose, judges;
} dig_head;

static const char magic[8] = {'d', 'i', 'g', '_', 'e', 'n', 'v', 's'};

static int64_t rounded(int64_t size) { return (size + 7) / 8 * 8; }

enum { GATHER, LAYER, PRODUCT, ADD, TIMES, MAX, SIGMOID, TANH }; /* the kinds of steps */
enum { COLUMNS = 10, MOST = 1 << 30, FORMAT = 4 }; /* of the file: weights.py */

/* Whether a step reads and writes within the memory, the weights and the table. */
static int step_fits(const dig_head *head, const int64_t *step) {
  for (int k = 0; k < COLUMNS; k++)
    if (step[k] < 0 || step[k] > MOST) return 0;
  int64_t kind = step[0], rows = step[1], inputs = step[2], width = step[3], stride = step[7],
          memory = head->sizes[2];
  int64_t read = 0, taken = 0, source = 0, begun = 0, written = width;
  if (kind > TANH || rows < 1 || width < 1 || (stride != 0 && stride != width)) return 0;
  if (kind == GATHER) taken = width, source = head->num_places;
  if (kind == LAYER || kind == PRODUCT) {
    if (inputs > head->sizes[4]) return 0;
    read = rows * inputs, taken = inputs * width,
    source = kind == LAYER ? head->num_weights : memory;
  }
  if (kind >= ADD) read = rows * width;
  if (kind >= LAYER && kind <= TIMES)
    written = rows * width, begun = stride * (rows - 1) + width;
  return step[4] + read <= memory && step[5] + taken <= source && step[6] + begun <= memory
    && step[8] + written <= memory;
}

/* Whether all that the network reads and writes is there. */
static int fits(
  const dig_head *head, const int64_t *steps, const int64_t *heads, const int32_t *table) {
  const int64_t *sizes = head->sizes, memory = sizes[2];
  for (int k = 0; k < 7; k++)
    if (sizes[k] < 0 || sizes[k] > MOST) return 0;
  if (sizes[0] != GAME_OBSERVATION_SIZE + sizes[5] || sizes[0] + sizes[1] > memory
    || sizes[5] + sizes[6] > memory
    || sizes[1] > head->num_weights || sizes[3] > head->num_steps)
    return 0;
  for (int64_t k = 0; k < head->num_places; k++)
    if (table[k] < 0 || table[k] >= memory) return 0;
  for (int64_t k = 0; k < head->num_steps; k++)
    if (!step_fits(head, steps + COLUMNS * k)) return 0;
  for (int64_t k = 0; k <= GAME_NUM_ACTIONS; k++) {
    int64_t count = heads[3 * k], place = heads[3 * k + 1], factors = heads[3 * k + 2];
    if (count < 0 || count > MOST || place < 0 || place > memory - count || factors < 0
      || factors >= head->num_weights - count)
      return 0;
  }
  return 1;
}

static uint64_t checksum(const unsigned char *bytes, int64_t size) {
  uint64_t found = 0xcbf29ce484222325u; /* FNV-1a over words of 8 bytes */
  for (int64_t k = 0; k + 8 <= size; k += 8) {
    uint64_t word;
    memcpy(&word, bytes + k, 8);
    found = (found ^ word) * 0x100000001b3u;
  }
  return found;
}

EXPORTED(game_policy_open)
int32_t game_policy_open(game_policy *policy, const void *weights, size_t size) {
  const unsigned char *bytes = weights;
  const dig_head *head = weights;
  if ((uintptr_t)weights % 8) return GAME_MISALIGNED;
  if (size < 8 || memcmp(bytes, magic, 8)) return GAME_NO_POLICY;
  if (size < sizeof *head) return GAME_WRONG_SIZE;
  if (head->format != FORMAT) return GAME_OTHER_VERSION;
  if (head->layout_hash != GAME_LAYOUT_HASH || head->actions_hash != GAME_ACTIONS_HASH)
    return GAME_OTHER_GAME;
  if (head->size < 0 || (uint64_t)head->size != size) return GAME_WRONG_SIZE;
  int64_t most = head->size;
  if (head->num_steps < 0 || head->num_steps > most / 80 || head->num_places < 0
    || head->num_places > most / 4 || head->num_weights < 1 || head->num_weights > most / 4
    || head->num_games < 0 || head->num_games > most / (int64_t)sizeof(game_options))
    return GAME_DAMAGED;
  int64_t steps = sizeof *head, heads = steps + 80 * head->num_steps,
          table = heads + 24 * (GAME_NUM_ACTIONS + 1);
  int64_t first = table + rounded(4 * head->num_places), room;
  int64_t games = first + rounded(4 * head->num_weights);
  if (games + rounded((int64_t)sizeof(game_options) * head->num_games) != head->size)
    return GAME_WRONG_SIZE;
  if (checksum(bytes + sizeof *head, head->size - (int64_t)sizeof *head) != head->checksum)
    return GAME_DAMAGED;
  if (!fits(head, (const int64_t *)(bytes + steps), (const int64_t *)(bytes + heads),
        (const int32_t *)(bytes + table)))
    return GAME_DAMAGED;
  ASK(policy_size, &room, (int64_t *)head->sizes);
  *policy = (game_policy){.weights = (const float *)(bytes + first),
                          .steps = (const int64_t *)(bytes + steps),
                          .heads = (const int64_t *)(bytes + heads),
                          .sizes = head->sizes,
                          .table = (const int32_t *)(bytes + table),
                          .games = (const int32_t *)(bytes + games),
                          .num_weights = head->num_weights,
                          .num_steps = head->num_steps,
                          .num_places = head->num_places,
                          .num_games = head->num_games,
                          .room = room,
                          .players = head->players,
                          .judges = head->judges,
                          .win_or_lose = head->win_or_lose,
                          .win_weight = head->win_weight,
                          .score_weight = head->score_weight};
  return 0;
}

EXPORTED(game_policy_fits)
int32_t game_policy_fits(const game_policy *policy, const game_state *state) {
  if (policy->players && !(policy->players >> state->num_players & 1)) return 0;
  game_options options = game_options_of(state);
  for (int64_t k = 0; k < policy->num_games; k++)
    if (!memcmp(policy->games + GAME_NUM_OPTIONS * k, &options, sizeof options)) return 1;
  return policy->num_games == 0;
}

EXPORTED(game_policy_remembers) int64_t game_policy_remembers(const game_policy *policy) {
  return policy->sizes[5];
}

EXPORTED(game_policy_memory) int64_t game_policy_memory(const game_policy *policy) {
  /* then the inputs, and mask and logits of the one who chooses */
  return policy->room + policy->sizes[0] * 4 + rounded(GAME_NUM_ACTIONS) + GAME_NUM_ACTIONS * 4;
}

/* Whether memory is what a policy or a search needs, of so many bytes, or where that is an error. */
static int32_t check_memory(const void *memory, size_t size, int64_t needed) {
  if (needed < 0) return (int32_t)needed;
  if ((uintptr_t)memory % 8) return GAME_MISALIGNED;
  return (uint64_t)needed > size ? GAME_TOO_LITTLE_MEMORY : 0;
}

/* Whether numbers that a policy remembers are there, and finite, or that they are not. */
static int32_t check_remembered(const game_policy *policy, const float *remembered) {
  for (int64_t k = 0; k < policy->sizes[5]; k++)
    if (!remembered || remembered[k] - remembered[k] != 0) return GAME_WRONG_MEMORY;
  return 0;
}

/* Evaluate what is in `inputs`, the beginning of what is behind a policy's room: an observation. */
static int32_t evaluate(const game_policy *policy, float *inputs, const int8_t *mask,
  float *logits, float *value, float *remembered, void *memory) {
  size_t size = sizeof *inputs * (size_t)policy->sizes[5];
  float *own = inputs + GAME_OBSERVATION_SIZE;
  if (size) memcpy(own, remembered, size);
  CALL(policy_evaluate, NETWORK_OF(policy), memory, inputs, mask, logits, value);
  if (size) memcpy(remembered, own, size);
  return 0;
}

EXPORTED(game_policy_evaluate)
int32_t game_policy_evaluate(const game_policy *policy, const float *observation,
  const int8_t *mask, float *logits, float *value, float *remembered, void *memory, size_t size) {
  int32_t error = check_memory(memory, size, game_policy_memory(policy));
  if (!error) error = check_remembered(policy, remembered);
  if (error) return error;
  float *inputs = (float *)((char *)memory + policy->room);
  memcpy(inputs, observation, GAME_OBSERVATION_SIZE * sizeof *inputs);
  return evaluate(policy, inputs, mask, logits, value, remembered, memory);
}

EXPORTED(game_policy_choose)
int32_t game_policy_choose(const game_policy *policy, const game_state *state, int32_t seat,
  float *remembered, void *memory, size_t size) {
  float value;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  if (!game_policy_fits(policy, state)) return GAME_NOT_TRAINED_FOR;
  error = check_memory(memory, size, game_policy_memory(policy));
  if (!error) error = check_remembered(policy, remembered);
  if (error) return error;
  float *observation = (float *)((char *)memory + policy->room),
        *logits = observation + policy->sizes[0];
  int8_t *mask = (int8_t *)(logits + GAME_NUM_ACTIONS);
  CALL(mask, state, seat, mask);
  memset(observation, 0, GAME_OBSERVATION_SIZE * sizeof *observation);
  CALL(observe, state, seat, observation);
  error = evaluate(policy, observation, mask, logits, &value, remembered, memory);
  if (error) return error;
  int32_t best = -1;
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) {
    if (logits[a] != logits[a]) logits[a] = 0;
    if (mask[a] && (best < 0 || logits[a] > logits[best])) best = a;
  }
  return best;
}

/* ------------------------------------------------------------ search */

#define TREE unsigned char *, int64_t, int64_t

RULES(search_size, int64_t, int64_t, int64_t);
RULES(search_begin, void *, TREE, uint64_t, double, double, double, double, double, int64_t,
  int64_t, int64_t, int64_t, int64_t, int64_t);
RULES(search_more, int64_t, const game_state *, int64_t, TREE, NETWORK, int64_t);
RULES(search_read, void *, TREE, int64_t *, double *, double *, double *);
RULES(search_rank, void *, TREE, int16_t *);

static const float no_weights[1];
static const int64_t no_sizes[7];
static const int32_t no_table[1];
static const game_policy no_policy = { .weights = no_weights,
  .steps = no_sizes,
  .heads = no_sizes,
  .sizes = no_sizes,
  .table = no_table,
  .num_weights = 1,
  .room = 64 };

#define POLICY(policy) ((policy) ? (policy) : &no_policy)
#define TREE_OF(settings, policy, memory)                              \
  (unsigned char *)(memory), num_nodes(settings), POLICY(policy)->room

/* A tree has a node for each simulation, and one more. */
static int64_t num_nodes(const game_search_settings *settings) {
  int64_t count = (int64_t)settings->sims + 1;
  return count < GAME_MOST_NODES && !settings->ms ? count : GAME_MOST_NODES;
}

/* A decimal number without an exponent; with at most 15 digits the quotient is the nearest that
   there is. */
static int decimal(const char *text, const char *end, double *number) {
  double value = 0, unit = 1;
  int digits = 0, dot = 0;
  for (; text < end; text++) {
    if (*text == '.' && !dot) {
      dot = 1;
      continue;
    }
    if (*text < '0' || *text > '9' || ++digits > 15) return 0;
    value = value * 10 + (*text - '0');
    if (dot) unit *= 10;
  }
  *number = value / unit;
  return digits > 0;
}

static int natural(const char *text, const char *end, uint64_t most, uint64_t *number) {
  uint64_t value = 0;
  if (text == end) return 0;
  for (; text < end; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (*text < '0' || *text > '9' || value > (most - digit) / 10) return 0;
    value = value * 10 + digit;
  }
  *number = value;
  return 1;
}

static int is_word(const char *text, const char *end, const char *word) {
  for (; text < end && *word && *text == *word; text++, word++) {}
  return text == end && !*word;
}

static int place_of(const char *text, const char *end, const dig_word *words, int32_t *number) {
  for (; words->word; words++) {
    if (!is_word(text, end, words->word)) continue;
    *number = words->number;
    return 1;
  }
  return 0;
}

enum {
  SIMS,
  PLAYOUT,
  OTHERS,
  DEPTH,
  C,
  TRUST,
  LEAD,
  SEED,
  VALUE,
  GUIDE,
  ROOT,
  CONSIDERED,
  MS,
  NUM_SETTINGS
};
static const char *const setting_names[NUM_SETTINGS] = { "sims", "playout", "others", "depth", "c",
  "trust", "lead", "seed", "value", "guide", "root", "considered", "ms" };

static int set_search(game_search_settings *s, int setting, const char *text, const char *end) {
  uint64_t number;
  switch (setting) {
  case SIMS:
    if (!natural(text, end, 1 << 30, &number) || !number) return 0;
    s->sims = (int32_t)number;
    return 1;
  case DEPTH:
    if (!natural(text, end, 1 << 30, &number)) return 0;
    s->depth = (int32_t)number;
    return 1;
  case SEED: return natural(text, end, UINT64_MAX, &s->seed);
  case PLAYOUT: return place_of(text, end, dig_playouts, &s->playout);
  case OTHERS: return place_of(text, end, dig_others, &s->others);
  case C: return decimal(text, end, &s->c);
  case TRUST: return decimal(text, end, &s->trust) && s->trust <= 1;
  case LEAD: return decimal(text, end, &s->lead) && s->lead <= 1;
  case VALUE:
    s->valued = is_word(text, end, "guide");
    return s->valued || is_word(text, end, "scores");
  case GUIDE: return is_word(text, end, "policy");
  case MS:
    if (!natural(text, end, 24 * 3600 * 1000, &number) || !number) return 0;
    s->ms = (int32_t)number;
    return 1;
  case CONSIDERED:
    if (!natural(text, end, 1000000, &number) || number < 2) return 0;
    s->considered = (int32_t)number;
    return 1;
  default:
    s->halving = is_word(text, end, "gumbel");
    return s->halving || is_word(text, end, "puct");
  }
}

/* Read the settings; the first time only whether there is a guide, from which the defaults
   follow. */
static int32_t read_settings(game_search_settings *settings, const char *text) {
  unsigned given = 0;
  while (*text) {
    const char *end = text, *equals = 0;
    for (; *end && *end != ':'; end++)
      if (*end == '=' && !equals) equals = end;
    if (!equals) return GAME_UNKNOWN_SETTING;
    int setting = 0;
    while (setting < NUM_SETTINGS && !is_word(text, equals, setting_names[setting])) setting++;
    if (setting == NUM_SETTINGS) return GAME_UNKNOWN_SETTING;
    if (given >> setting & 1 || !set_search(settings, setting, equals + 1, end))
      return GAME_BAD_SETTING;
    given |= 1u << setting;
    text = *end ? end + 1 : end;
  }
  if (given >> SIMS & given >> MS & 1) return GAME_BAD_SETTING; /* either of them */
  settings->guided = given >> GUIDE & 1;
  settings->usual_playout = !(given >> PLAYOUT & 1);
  return 0;
}

EXPORTED(game_search_parse)
int32_t game_search_parse(game_search_settings *settings, const char *text) {
  game_search_settings found = game_searches[0];
  const char *word = "search";
  const char *rest = text;
  for (; *word && *rest == *word; rest++, word++) {}
  if (!*word && (!*rest || *rest == ':')) text = *rest ? rest + 1 : rest;
  int32_t error = read_settings(&found, text);
  if (error) return error;
  if (found.guided) {
    found = game_searches[1];
    read_settings(&found, text);
  }
  if (!found.guided
    && (found.valued || found.playout == GAME_NOBODY_PLAYS || found.playout == GAME_POLICY_PLAYS
      || found.others == GAME_POLICY_PLAYS))
    return GAME_NEEDS_POLICY;
  *settings = found;
  return 0;
}

/* Who plays beyond the tree: as is usual in the game, as far as this policy can do that. */
static int32_t playout_of(const game_search_settings *settings, const game_policy *policy) {
  int usual = settings->playout == GAME_NOBODY_PLAYS && settings->usual_playout;
  return usual && policy && !policy->judges ? GAME_POLICY_PLAYS : settings->playout;
}

/* Whether the policy judges positions. */
static int is_judged(const game_search_settings *settings, const game_policy *policy) {
  return policy && (settings->valued || playout_of(settings, policy) == GAME_NOBODY_PLAYS);
}

static int32_t check_search(const game_search_settings *settings, const game_policy *policy) {
  if (settings->sims < 1 || settings->ms < 0 || (settings->halving && settings->considered < 2))
    return GAME_BAD_SETTING;
  if (!settings->guided != !policy) return GAME_NEEDS_POLICY;
  if (policy && policy->sizes[5]) return GAME_WRONG_MEMORY;
  return is_judged(settings, policy) && !policy->judges ? GAME_NEEDS_POLICY : 0;
}

EXPORTED(game_search_memory)
int64_t game_search_memory(const game_search_settings *settings, const game_policy *policy) {
  int64_t size;
  int32_t error = check_search(settings, policy);
  if (error) return error;
  ASK(search_size, &size, num_nodes(settings), POLICY(policy)->room);
  return size;
}

EXPORTED(game_search_begin)
int32_t game_search_begin(
  const game_search_settings *settings, const game_policy *policy, void *memory, size_t size) {
  int32_t error = check_memory(memory, size, game_search_memory(settings, policy));
  if (error) return error;
  int judged = is_judged(settings, policy);
  CALL(search_begin, TREE_OF(settings, policy, memory), settings->seed, settings->c,
    judged ? 1.0 : settings->lead, policy ? 0.0 : settings->trust,
    judged ? policy->win_weight : 0.0, judged ? policy->score_weight : 0.0, settings->depth,
    playout_of(settings, policy), settings->others, settings->guided, judged,
    judged ? policy->win_or_lose : 0);
  return 0;
}

EXPORTED(game_search_more)
int32_t game_search_more(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, int32_t simulations) {
  int64_t done;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  if (policy && !game_policy_fits(policy, state)) return GAME_NOT_TRAINED_FOR;
  if (simulations < 1) return GAME_BAD_ARGUMENT;
  ASK(search_more, &done, state, seat, TREE_OF(settings, policy, memory),
    NETWORK_OF(POLICY(policy)), simulations);
  return 0;
}

#ifndef __wasm__
static double clock_ms(void) {
#ifdef _WIN32
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  return 1e3 * (double)now.QuadPart / (double)frequency.QuadPart;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
#endif
}

/* Simulations until the time is up, with a look at the clock about every 5 ms. */
static int32_t search_for(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, double ms) {
  double begun = clock_ms(), done = 0, passed = 0, count = 1;
  int32_t error = 0;
  while (passed < ms && !error) {
    error = game_search_more(settings, policy, state, seat, memory, (int32_t)count);
    done += count;
    passed = clock_ms() - begun;
    count = fmin(ms - passed, 5) * done / fmax(passed, 1e-6);
    count = fmin(fmax(count, 1), 1e6);
  }
  return error;
}
#else
/* Nothing here tells the time: programs count it between the steps of a search. */
static int32_t search_for(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, double ms) {
  (void)settings, (void)policy, (void)state, (void)seat, (void)memory, (void)ms;
  return GAME_BAD_SETTING;
}
#endif

EXPORTED(game_search_found)
int32_t game_search_found(const game_search_settings *settings, const game_policy *policy,
  void *memory, int64_t *visits, double *values) {
  double leads[GAME_NUM_ACTIONS], priors[GAME_NUM_ACTIONS];
  CALL(search_read, TREE_OF(settings, policy, memory), visits, values, leads, priors);
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) /* rounded as where there are several trees */
    if (visits[a]) values[a] = (double)visits[a] * values[a] / (double)visits[a];
  return 0;
}

/* The logarithms of the priors of the legal actions: the policy's, or those that the scripted
   player's choice gives. */
static int32_t log_priors(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, const int8_t *mask, double *scores) {
  int64_t visits[GAME_NUM_ACTIONS];
  double values[GAME_NUM_ACTIONS], leads[GAME_NUM_ACTIONS];
  if (policy) {
    CALL(search_read, TREE_OF(settings, policy, memory), visits, values, leads, scores);
  } else {
    int64_t hint, count = 0;
    ASK(heuristic, &hint, state, seat);
    for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) count += mask[a];
    for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++)
      scores[a] = (1.0 - settings->trust) / (double)count + (a == hint ? settings->trust : 0);
  }
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++)
    scores[a] = log(scores[a] > 1e-9 ? scores[a] : 1e-9);
  return 0;
}

EXPORTED(game_search_choice)
int32_t game_search_choice(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory) {
  int64_t visits[GAME_NUM_ACTIONS];
  double values[GAME_NUM_ACTIONS];
  int8_t mask[GAME_NUM_ACTIONS];
  int32_t error = check_mover(state, seat), best = -1;
  if (!error) error = game_search_found(settings, policy, memory, visits, values);
  if (error) return error;
  int64_t tried = 0;
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) tried += visits[a];
  CALL(mask, state, seat, mask);
  /* no time for more than the root: the likeliest */
  if (!tried) error = log_priors(settings, policy, state, seat, memory, mask, values);
  if (error) return error;
  /* the most visits, then the best value, then the first */
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) {
    if (!mask[a]) continue;
    if (best < 0 || visits[a] > visits[best]
      || (visits[a] == visits[best] && values[a] > values[best]))
      best = a;
  }
  return best;
}

/* How much the search says against the logarithms of priors, and how far single visits are
   believed: agents/halving.py. */
#define HALVING_VISITS 50.0
#define HALVING_SCALE 0.1
#define HALVING_DOUBT 8.0
#define HALVING_LEAST_SPREAD 0.25

typedef struct {
  double score; /* the logarithm of the prior */
  double found; /* what the search adds to it */
  int32_t action;
} dig_candidate;

/* Order candidates by their scores and what was found, the best first; of equals the first stays
   first. */
static void sort_candidates(dig_candidate *all, int32_t count) {
  for (int32_t k = 1; k < count; k++) {
    dig_candidate one = all[k];
    int32_t place = k;
    for (; place > 0 && all[place - 1].score + all[place - 1].found < one.score + one.found;
      place--)
      all[place] = all[place - 1];
    all[place] = one;
  }
}

/* What a search adds to the score of each legal action: its value, drawn towards the mean of all
   that were visited. */
static void what_was_found(const int8_t *mask, const double *scores, const int64_t *visits,
  const double *values, double *found) {
  double weights = 0, mean = 0, least = 0, most = 0;
  int64_t most_visits = 0;
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++) {
    if (!mask[a] || !visits[a]) continue;
    weights += exp(scores[a]);
    mean += exp(scores[a]) * values[a];
    if (visits[a] > most_visits) most_visits = visits[a];
  }
  mean = weights > 0 ? mean / weights : 0;
  for (int32_t a = 0, first = 1; a < GAME_NUM_ACTIONS; a++) {
    if (!mask[a]) continue;
    found[a] = mean
      + (visits[a] ? values[a] - mean : 0) * (double)visits[a]
        / ((double)visits[a] + HALVING_DOUBT);
    if (first || found[a] < least) least = found[a];
    if (first || found[a] > most) most = found[a];
    first = 0;
  }
  double spread = most - least > HALVING_LEAST_SPREAD ? most - least : HALVING_LEAST_SPREAD;
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++)
    if (mask[a])
      found[a] = (HALVING_VISITS + (double)most_visits) * HALVING_SCALE * found[a] / spread;
}

/* Sequential halving: the likeliest actions get equally many simulations, then the better half
   stays, and so on. */
static int32_t search_by_halving(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, const int8_t *mask) {
  dig_candidate all[GAME_NUM_ACTIONS];
  int64_t visits[GAME_NUM_ACTIONS];
  double values[GAME_NUM_ACTIONS], scores[GAME_NUM_ACTIONS], found[GAME_NUM_ACTIONS];
  /* one simulation makes the root */
  int32_t count = 0, rounds = 1, given = 0, budget = settings->sims - 1;
  int32_t error = game_search_more(settings, policy, state, seat, memory, 1);
  if (!error) error = log_priors(settings, policy, state, seat, memory, mask, scores);
  for (int32_t a = 0; a < GAME_NUM_ACTIONS; a++)
    if (mask[a]) all[count++] = (dig_candidate){scores[a], 0, a};
  sort_candidates(all, count);
  int32_t most = budget > 2 ? budget : 2;
  if (settings->considered < most || settings->ms) most = settings->considered;
  if (count > most) count = most;
  while (1 << rounds < count) rounds++;
  for (int32_t round = 0; !error && round < rounds; round++) {
    int16_t ranks[GAME_NUM_ACTIONS] = {0};
    for (int32_t k = 0; k < count; k++) ranks[all[k].action] = (int16_t)(k + 1);
    CALL(search_rank, TREE_OF(settings, policy, memory), ranks);
    int32_t left = budget > given ? budget - given : 0, each = budget / (rounds * count);
    int32_t share = (each > 1 ? each : 1) * count;
    if (round == rounds - 1 || share > left) share = left;
    given += share;
    if (settings->ms) error = search_for(
        settings, policy, state, seat, memory, (double)settings->ms / rounds);
    else if (share) error = game_search_more(settings, policy, state, seat, memory, share);
    if (!error) error = game_search_found(settings, policy, memory, visits, values);
    if (error) break;
    what_was_found(mask, scores, visits, values, found);
    for (int32_t k = 0; k < count; k++) all[k].found = found[all[k].action];
    sort_candidates(all, count);
    if (round < rounds - 1) count = (count + 1) / 2;
  }
  return error ? error : all[0].action;
}

EXPORTED(game_search)
int32_t game_search(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, size_t size) {
  int8_t mask[GAME_NUM_ACTIONS];
  int32_t only = -1, error = check_mover(state, seat);
  if (!error) error = check_search(settings, policy);
  if (error) return error;
  CALL(mask, state, seat, mask);
  for (int32_t a = 0, count = 0; a < GAME_NUM_ACTIONS; a++)
    if (mask[a]) only = ++count == 1 ? a : -2;
  if (only >= 0) return only; /* nothing to search */
  error = game_search_begin(settings, policy, memory, size);
  if (!error && settings->halving)
    return search_by_halving(settings, policy, state, seat, memory, mask);
  if (!error) error = settings->ms
      ? search_for(settings, policy, state, seat, memory, settings->ms)
      : game_search_more(settings, policy, state, seat, memory, settings->sims);
  return error ? error : game_search_choice(settings, policy, state, seat, memory);
}

/* ------------------------------------------------- memory for hosts that have none of their own */

#ifdef __wasm__
_Static_assert(
  sizeof(game_search_settings) <= 128 && sizeof(game_policy) <= 256 && sizeof(game_batch) <= 256,
  "as in game.js");
/* What positions.js calls, having checked what it hands over. The state lies at the end of the
   record `listening`. */
RULES(derive, void *, game_state *);
RULES(inspect, void *, game_state *, void *);
RULES(tell, void *, void *, int64_t, int64_t);
RULES(styled, int64_t, game_state *, int64_t, const double *);
RULES(remember, int64_t, game_state *, int64_t, float *);
RULES(settle, int64_t, game_state *, int64_t, const double *);
RULES(imagine, void *, game_state *, int64_t, uint64_t);
RULES(play_out, int64_t, game_state *);

EXPORTED(game_derive) int32_t game_derive(game_state *state) {
  CALL(derive, state);
  return 0;
}

EXPORTED(game_inspect) int32_t game_inspect(game_state *state, void *facts) {
  CALL(inspect, state, facts);
  return 0;
}

EXPORTED(game_tell) int32_t game_tell(void *listening, int32_t seat, int32_t action) {
  CALL(tell, listening, seat, action);
  return 0;
}

/* The choice of the scripted player with the weights of a style. */
EXPORTED(game_styled)
int32_t game_styled(game_state *state, int32_t seat, const double *weights) {
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  ASK(styled, &action, state, seat, weights);
  return (int32_t)action;
}

/* Make the position what a player with a memory takes it for, which then notes what it sees,
   whether it is to decide or not. */
EXPORTED(game_remember) int32_t game_remember(game_state *state, int32_t seat, float *memory) {
  int64_t good;
  if (!has_seat(state, seat)) return GAME_NO_SUCH_SEAT;
  ASK(remember, &good, state, seat, memory);
  return good ? 0 : GAME_BAD_ARGUMENT;
}

/* What a player for people chooses; asked[3]: the action that it meant to take, whether it is
   mistaken, and a number from 0 up to 1 on which the mistake depends. */
EXPORTED(game_settle)
int32_t game_settle(game_state *state, int32_t seat, const double *asked) {
  int64_t action;
  int32_t error = check_mover(state, seat);
  if (error) return error;
  ASK(settle, &action, state, seat, asked);
  return (int32_t)action;
}

/* Deal anew what a seat cannot know; the scripted player makes the choices that it cannot see. */
EXPORTED(game_imagine) int32_t game_imagine(game_state *state, int32_t seat, uint64_t seed) {
  CALL(imagine, state, seat, seed);
  return 0;
}

/* Let the scripted player play for everybody to the end; returns how many actions that took. */
EXPORTED(game_play_out) int32_t game_play_out(game_state *state) {
  int64_t count;
  ASK(play_out, &count, state);
  return (int32_t)count;
}

EXPORTED(game_take) void *game_take(size_t size) { return heap_take(size); }
EXPORTED(game_give_back) void game_give_back(void *memory) { heap_give_back(memory); }
#endif
