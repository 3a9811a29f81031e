/* @TITLE@ (@ENVIRONMENT@) as a C library, made by dig_envs @VERSION@.

   A position is one record without pointers, a game_state: copy it with =, keep it, send it. Functions know nothing but what they
   are given, so that threads may call them for different positions at the same time. Where nothing else is said, a function takes no
   memory, and returns 0 or more, or one of the negative errors; then nothing has been changed. Records that come from elsewhere are
   trusted: compiled rules check no bounds. */
#ifndef GAME_H
#define GAME_H

#include <stddef.h>
#include <stdint.h>

#if defined(GAME_SHARED) && defined(_WIN32)
#define GAME_API __declspec(dllimport)
#else
#define GAME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GAME_INTERFACE 1 /* version of this interface */
#define GAME_LAYOUT_HASH 0x@LAYOUT_HASH@u /* of the observation */
#define GAME_ACTIONS_HASH 0x@ACTIONS_HASH@u
#define GAME_MAX_PLAYERS @MAX_PLAYERS@
#define GAME_NUM_ACTIONS @NUM_ACTIONS@
#define GAME_OBSERVATION_SIZE @OBSERVATION_SIZE@ /* numbers */
#define GAME_STATE_SIZE @STATE_SIZE@ /* bytes */
#define GAME_MAX_LENGTH @MAX_LENGTH@ /* actions of an episode */

/* Errors. game_error() has words for them. */
enum {
  GAME_ILLEGAL_ACTION = -1,
  GAME_NO_SUCH_SEAT = -2,
  GAME_NOT_TO_MOVE = -3,
  GAME_NOT_OVER = -4,
  GAME_UNKNOWN_OPTION = -5,
  GAME_BAD_OPTION = -6,
  GAME_OPTIONS_DISAGREE = -7,
  GAME_UNKNOWN_SETTING = -8,
  GAME_BAD_SETTING = -9,
  GAME_NEEDS_POLICY = -10,
  GAME_TOO_LITTLE_MEMORY = -11,
  GAME_NO_POLICY = -12,
  GAME_OTHER_VERSION = -13,
  GAME_OTHER_GAME = -14,
  GAME_WRONG_SIZE = -15,
  GAME_DAMAGED = -16,
  GAME_NOT_TRAINED_FOR = -17,
  GAME_BAD_ARGUMENT = -18,
  GAME_OUT_OF_MEMORY = -19
};

/* A position. What the fields mean is in game_description(). */
typedef struct {
@STATE_FIELDS@
} game_state;

/* The variants: numbers as they are, booleans as 0 and 1, others as the place of the value among those that there are. */
typedef struct {
@OPTION_FIELDS@
} game_options;

/* Words for an error. */
GAME_API const char *game_error(int32_t code);

/* JSON: actions, observation layout, state layout, options with their values, phases, versions, hashes. */
GAME_API const char *game_description(void);

/* Fill in the defaults. */
GAME_API int32_t game_default_options(game_options *options);

/* Set an option by its name and its value as text, as `dig-envs play --option` takes them: "num_players" and "3". */
GAME_API int32_t game_set_option(game_options *options, const char *name, const char *value);

/* Deal a new game. Options that do not go together are refused. */
GAME_API int32_t game_deal(game_state *state, const game_options *options, uint64_t seed);

/* The seat that is to decide, of several the lowest; -1 if the game is over. */
GAME_API int32_t game_to_move(const game_state *state);

/* The seats that are still to decide, as bits: 1 << seat. */
GAME_API int32_t game_must_decide(const game_state *state);

/* Whether the game is over. */
GAME_API int32_t game_over(const game_state *state);

/* mask[GAME_NUM_ACTIONS]: 1 for each legal action of a seat, 0 for others; all 0 for a seat that is not to decide.
   Returns the number of legal actions. */
GAME_API int32_t game_mask(game_state *state, int32_t seat, int8_t *mask);

/* Carry out an action of a seat. One that is not legal is refused. */
GAME_API int32_t game_apply(game_state *state, int32_t seat, int32_t action);

/* The same for an action that is known to be legal. Others destroy the position, or more. */
GAME_API int32_t game_apply_unchecked(game_state *state, int32_t seat, int32_t action);

/* observation[GAME_OBSERVATION_SIZE]: what a seat may know. */
GAME_API int32_t game_observe(game_state *state, int32_t seat, float *observation);

/* returns[GAME_MAX_PLAYERS] of a game that is over: winners share +1, the others -1. */
GAME_API int32_t game_returns(const game_state *state, double *returns);

/* scores[GAME_MAX_PLAYERS]. */
GAME_API int32_t game_scores(const game_state *state, int32_t *scores);

/* Deal anew what a seat cannot know, and with it what will come by chance. Equal views and seeds give equal deals. */
GAME_API int32_t game_determinize(game_state *state, int32_t seat, uint64_t seed);

/* A legal action of a seat, all equally likely; the generator is any number, which changes. */
GAME_API int32_t game_random(game_state *state, int32_t seat, uint64_t *generator);

/* The choice of the game's scripted player. It may take memory from malloc, which it has given back when it returns. */
GAME_API int32_t game_scripted(game_state *state, int32_t seat);

#ifdef __cplusplus
}
#endif
#endif
