/* @TITLE@ (@ENVIRONMENT@) as a C library, made by dig_envs @VERSION@.

   A position is one record without pointers, a game_state: copy it with =, keep it, send it.
   Functions know nothing but what they are given, so that threads may call them for different
   positions at the same time. Where nothing else is said, a function takes no memory, and returns 0
   or more, or one of the negative errors; then nothing has been changed. Records that come from
   elsewhere are trusted: compiled rules check no bounds. */
#ifndef GAME_H
#define GAME_H

#include <stddef.h>
#include <stdint.h>

#ifndef GAME_API /* programs that use the DLL on Windows may define it as __declspec(dllimport) */
#define GAME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GAME_INTERFACE 4 /* version of this interface */
#define GAME_LAYOUT_HASH 0x@LAYOUT_HASH@u /* of the observation */
#define GAME_ACTIONS_HASH 0x@ACTIONS_HASH@u
#define GAME_MAX_PLAYERS @MAX_PLAYERS@
#define GAME_NUM_ACTIONS @NUM_ACTIONS@
#define GAME_OBSERVATION_SIZE @OBSERVATION_SIZE@ /* numbers */
#define GAME_STATE_SIZE @STATE_SIZE@ /* bytes */
#define GAME_MAX_LENGTH @MAX_LENGTH@ /* actions of an episode */
#define GAME_PLAYER_MEMORY @PLAYER_MEMORY@ /* bytes: game_choose */

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
  GAME_OUT_OF_MEMORY = -19,
  GAME_BAD_POSITION = -20,
  GAME_MISALIGNED = -21,
  GAME_WRONG_MEMORY = -22
};

/* A position. What the fields mean is in game_description(). */
typedef struct {
@STATE_FIELDS@
} game_state;

/* The variants: numbers as they are, booleans as 0 and 1, others as the place of the value among
   those that there are. */
typedef struct {
@OPTION_FIELDS@
} game_options;

/* GAME_INTERFACE of the library that is loaded: with another one than that of this header, call
   nothing else. */
GAME_API int32_t game_interface_version(void);

/* Words for an error. */
GAME_API const char *game_error(int32_t code);

/* JSON: actions, observation layout, state layout, options with their values, phases, versions,
   hashes. */
GAME_API const char *game_description(void);

/* The name of an action, such as Python has it; NULL if there is no such action. */
GAME_API const char *game_action_name(int32_t action);

/* Fill in the defaults. */
GAME_API int32_t game_default_options(game_options *options);

/* Set an option by its name and its value as text, as `dig-envs play --option` takes them:
   "num_players" and "3". */
GAME_API int32_t game_set_option(game_options *options, const char *name, const char *value);

/* Deal a new game. Options that do not go together are refused. */
GAME_API int32_t game_deal(game_state *state, const game_options *options, uint64_t seed);

/* The seat that is to decide, of several the lowest; -1 if the game is over. */
GAME_API int32_t game_to_move(const game_state *state);

/* The seats that are still to decide, as bits: 1 << seat. */
GAME_API int32_t game_must_decide(const game_state *state);

/* Whether the game is over. */
GAME_API int32_t game_over(const game_state *state);

/* mask[GAME_NUM_ACTIONS]: 1 for each legal action of a seat, 0 for others; all 0 for a seat that is
   not to decide. Returns the number of legal actions. */
GAME_API int32_t game_mask(const game_state *state, int32_t seat, int8_t *mask);

/* The same, and legal[GAME_NUM_ACTIONS]: the legal actions, ascending, as many as are returned. */
GAME_API int32_t game_legal(const game_state *state, int32_t seat, int8_t *mask, int32_t *legal);

/* The fastest way to play on: carry out an action of a seat, and write mask and legal actions of
   the seat that is to move then, as game_legal does. The mask must be the one that game_mask,
   game_legal or game_play has written for this seat and position: the action is checked against it.
   One that is not legal is refused. Returns the number of legal actions, 0 if the game is over. */
GAME_API int32_t game_play(
  game_state *state, int32_t seat, int32_t action, int8_t *mask, int32_t *legal);

/* Carry out an action of a seat. One that is not legal is refused. */
GAME_API int32_t game_apply(game_state *state, int32_t seat, int32_t action);

/* The same for an action that is known to be legal. Others destroy the position, or more. */
GAME_API int32_t game_apply_unchecked(game_state *state, int32_t seat, int32_t action);

/* observation[GAME_OBSERVATION_SIZE]: what a seat may know. */
GAME_API int32_t game_observe(const game_state *state, int32_t seat, float *observation);

/* returns[GAME_MAX_PLAYERS] of a game that is over: winners share +1, the others -1. */
GAME_API int32_t game_returns(const game_state *state, double *returns);

/* scores[GAME_MAX_PLAYERS]. */
GAME_API int32_t game_scores(const game_state *state, int32_t *scores);

/* Deal anew what a seat cannot know, and with it what will come by chance. Equal views and seeds
   give equal deals. */
GAME_API int32_t game_determinize(game_state *state, int32_t seat, uint64_t seed);

/* A legal action of a seat, all equally likely; the generator is any number, which changes. */
GAME_API int32_t game_random(const game_state *state, int32_t seat, uint64_t *generator);

/* kinds[GAME_NUM_ACTIONS]: which legal actions of a seat are grave, so that levels for people leave
   them out: 1, it ends the game in defeat; 2, another one wins the game at once, of which people are
   not warned; 4, the game itself says so, and it is not 1; 0 for all others. 1 and 2 hold in all of
   16 deals of what the seat cannot know, so they are likely, not certain. Never all legal ones.
   Returns how many are. */
GAME_API int32_t game_grave(const game_state *state, int32_t seat, int8_t *kinds);

/* The choice of the game's scripted player. It may take memory from malloc, which it has given back
   when it returns. */
GAME_API int32_t game_scripted(const game_state *state, int32_t seat);

/* ---- positions from outside, and words -----------------------------------------------------------

   Positions and what one seat sees of them, as JSON that Python and JavaScript read and write, too,
   and in words; and players by name. This is JavaScript, which a game_words runs: it takes about
   5 MB from malloc and 256 KB of stack, and serves one thread at a time. Texts are UTF-8; those that
   are returned stay until the next call with the same game_words. */
typedef struct game_words game_words;

/* NULL if there is no memory left. */
GAME_API game_words *game_words_open(void);
GAME_API void game_words_close(game_words *words);

/* Of the last call that returned NULL or an error: the error, and why, with the key or the name that
   is wrong. */
GAME_API int32_t game_words_code(const game_words *words);
GAME_API const char *game_words_reason(const game_words *words);

/* Names for the seats in words and pictures, as JSON: ["Ann", "Bob"]. */
GAME_API int32_t game_words_names(game_words *words, const char *json);

/* The complete position, and a position from outside, all of which is checked. */
GAME_API const char *game_to_json(game_words *words, const game_state *state);
GAME_API int32_t game_from_json(game_words *words, game_state *state, const char *json);

/* What a seat sees; -1 here, as a viewer, and in texts and pictures: what everybody may know. */
GAME_API const char *game_view(game_words *words, const game_state *state, int32_t seat);

/* A position that agrees with what a seat sees, drawn as game_determinize does. A view that no
   position agrees with is refused. */
GAME_API int32_t game_from_view(
  game_words *words, game_state *state, const char *view, int32_t seat, uint64_t seed);

/* game_apply, with what happens, as a seat (`viewer`) is told it: a JSON list of events. */
GAME_API const char *game_apply_telling(
  game_words *words, game_state *state, int32_t seat, int32_t action, int32_t viewer);

/* The legal actions of a seat with labels, as JSON. */
GAME_API const char *game_choices(game_words *words, const game_state *state, int32_t seat);

/* The position as a seat sees it: as text, in a line, as SVG (`look`: "light wide", "dark column"
   …). */
GAME_API const char *game_text(game_words *words, const game_state *state, int32_t seat);
GAME_API const char *game_headline(game_words *words, const game_state *state, int32_t seat);
GAME_API const char *game_picture(
  game_words *words, const game_state *state, int32_t seat, const char *look);

/* ---- players by name -----------------------------------------------------------------------------

   Players have the names that they have in Python, and with the same seed they choose the same:
   "random", "heuristic:style=greedy", "heuristic:careless=0.2", "easy", "hard", "best",
   "search:sims=500", "search:ms=200", "@NAME@/policy:sample", "@NAME@/policy+search:sims=500" … */

/* Take a policy, which is asked by its name then: the content of a file that `dig-envs export
   --policy` has written, which begins at a multiple of 8 bytes and stays where it is. "policy" is the
   one that was taken last. */
GAME_API int32_t game_load_policy(game_words *words, const void *weights, size_t size);

/* The names of the players for the options of this game, as JSON. Policies among them are those
   that were exported with it, whether they have been loaded or not. */
GAME_API const char *game_players(game_words *words, const game_state *state);

/* The action that a player chooses for a seat. The seed is for what the player draws.
   memory[GAME_PLAYER_MEMORY]: a text, what the player remembers of this game: "" at its first
   decision for the seat, then what it has written there the last time. It is NULL, or stays "", for
   players that remember nothing. Of a refused name game_words_reason says what there is instead. */
GAME_API int32_t game_choose(game_words *words, const game_state *state, int32_t seat,
  const char *player, uint64_t seed, char *memory);

/* ---- many games ---------------------------------------------------------------------------------

   A batch is a struct of pointers into one block of memory, which the caller has. Each step plays
   one action in each game; a game that is over is dealt anew within the same step: rewards,
   terminated and turn_limit are those of the episode that has ended, masks, observations and movers
   those of the new one; final_* tell of the old one. All arrays but `actions`, `playing` and
   `generators` are only to be read. */
enum { GAME_REWARD_WIN = 0, GAME_REWARD_SCORE = 1 };

typedef struct {
  int64_t count;         /* games */
  /* GAME_REWARD_WIN: returns on the last step; GAME_REWARD_SCORE: each change of the scores */
  int64_t reward_kind;
  game_state *states;    /* [count] */
  int8_t *masks;         /* [count][GAME_NUM_ACTIONS] */
  /* [count][GAME_OBSERVATION_SIZE], what the mover sees; NULL in a batch without */
  float *observations;
  int64_t *movers;       /* [count] the seat that is asked next */
  float *rewards;        /* [count][GAME_MAX_PLAYERS] */
  uint8_t *terminated;   /* [count] */
  uint8_t *turn_limit;   /* [count] whether the turn limit has ended the game */
  float *returns;        /* [count][GAME_MAX_PLAYERS] of the episodes that go on, so far */
  int64_t *lengths;      /* [count] actions in them */
  game_state *final_states;
  float *final_returns;  /* [count][GAME_MAX_PLAYERS] */
  int64_t *final_lengths;
  int64_t *actions;      /* [count] what the next step plays */
  uint8_t *playing;      /* [count] 1 for the games that a step plays on; all 1 at first */
  uint64_t *generators;  /* [count] of random actions */
  game_state *templates; /* for the library */
  int64_t *template_of;
  uint64_t *seeds;
} game_batch;

/* Bytes of memory that a batch needs. */
GAME_API int64_t game_batch_memory(int64_t count, int32_t with_observations);

/* Make a batch in memory that begins at a multiple of 64 bytes, and deal its games: game i from
   seed + i, as BatchEnv does. */
GAME_API int32_t game_batch_begin(game_batch *batch, int64_t count, int32_t with_observations,
  int32_t reward_kind, const game_options *options, uint64_t seed, void *memory, size_t size);

/* Carry out batch->actions. If one of them is not legal, nothing is done. */
GAME_API int32_t game_batch_step(game_batch *batch);

/* Fill in batch->actions: random legal ones, or those of the scripted player. */
GAME_API int32_t game_batch_random(game_batch *batch);
GAME_API int32_t game_batch_scripted(game_batch *batch);

/* ---- policies -----------------------------------------------------------------------------------

   `dig-envs export --policy` writes the weights of a trained policy to a file. The caller has its
   content in memory and keeps it there. Other memory that a policy needs is the caller's, too. */
typedef struct {
  const float *weights;
  const int64_t *steps, *heads, *sizes;
  const int32_t *table, *games;
  int64_t num_weights, num_steps, num_places, num_games, room;
  uint32_t players;
  int32_t judges, win_or_lose;
  double win_weight, score_weight;
} game_policy;

/* Check weights, which begin at a multiple of 8 bytes, and find what is where in them. */
GAME_API int32_t game_policy_open(game_policy *policy, const void *weights, size_t size);

/* 1 if the policy was trained for the options of this game, 0 if not: then no player chooses with
   it, but game_policy_evaluate still tells what it says. */
GAME_API int32_t game_policy_fits(const game_policy *policy, const game_state *state);

/* Bytes of memory that evaluate and choose need. */
GAME_API int64_t game_policy_memory(const game_policy *policy);

/* How many numbers a recurrent policy remembers of a game, for each seat; 0 for others. */
GAME_API int64_t game_policy_remembers(const game_policy *policy);

/* logits[GAME_NUM_ACTIONS] of the legal actions, 0 for others, and the value, of one observation
   with its mask. remembered[game_policy_remembers(policy)], all 0 at a game's start, is rewritten;
   NULL for a policy that remembers nothing. */
GAME_API int32_t game_policy_evaluate(const game_policy *policy, const float *observation,
  const int8_t *mask, float *logits, float *value, float *remembered, void *memory, size_t size);

/* The likeliest action of a seat; refused if the policy was trained for other options. */
GAME_API int32_t game_policy_choose(const game_policy *policy, const game_state *state,
  int32_t seat, float *remembered, void *memory, size_t size);

/* ---- search -------------------------------------------------------------------------------------

   Information-set Monte Carlo tree search, the same as `search` of `dig-envs` and with the same
   choices. The memory is the caller's. A search may ask the scripted player, which see. */
typedef struct {
  int32_t sims, playout, others, depth, guided, valued;
  /* root=gumbel: sequential halving among so many actions (without noise); game_search alone does
     it */
  int32_t halving, considered;
  int32_t usual_playout; /* not said in a text: playout=none only if the policy judges positions */
  int32_t ms; /* milliseconds that game_search takes; 0: `sims` counts */
  double c, trust, lead;
  uint64_t seed;
} game_search_settings;

/* Settings from a text such as "search:sims=500:c=0.7" or "search:ms=200"; what it does not say has
   the game's own value. */
GAME_API int32_t game_search_parse(game_search_settings *settings, const char *text);

/* Bytes of memory that a search needs. `policy` is NULL here and below unless the settings have
   guide=policy. */
GAME_API int64_t game_search_memory(
  const game_search_settings *settings, const game_policy *policy);

/* The action that a search of settings->sims simulations, or of settings->ms milliseconds,
   chooses. */
GAME_API int32_t game_search(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, size_t size);

/* The same in steps, for those who want to stop by the clock or to tell how far it is: begin, some
   simulations at a time, choice. */
GAME_API int32_t game_search_begin(
  const game_search_settings *settings, const game_policy *policy, void *memory, size_t size);
GAME_API int32_t game_search_more(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory, int32_t simulations);
GAME_API int32_t game_search_choice(const game_search_settings *settings, const game_policy *policy,
  const game_state *state, int32_t seat, void *memory);

/* What has been found at the root: visits[GAME_NUM_ACTIONS] and mean values[GAME_NUM_ACTIONS], 0
   without visits. */
GAME_API int32_t game_search_found(const game_search_settings *settings, const game_policy *policy,
  void *memory, int64_t *visits, double *values);

#ifdef __cplusplus
}
#endif
#endif
