/* Positions as JSON and in words, and players by name: modules of JavaScript in QuickJS.
   @ENVIRONMENT@ */
#ifdef _WIN32
#define GAME_API __declspec(dllexport)
#else
#define GAME_API __attribute__((visibility("default")))
#endif

#include "game.h"
#include "words.h"

#include <quickjs.h>
#include <stdlib.h>
#include <string.h>

#define RULES(name, ...) extern int32_t game_inner_##name(void **, void **, __VA_ARGS__)
RULES(derive, void *);
RULES(inspect, void *, void *);
RULES(mask, void *, int64_t, int8_t *);
RULES(apply, void *, int64_t, int64_t);
RULES(redeal, void *, int64_t, uint64_t);
RULES(tell, void *, int64_t, int64_t);
extern int32_t game_inner_styled(int64_t *, void **, void *, int64_t, const double *);
extern int32_t game_inner_settle(int64_t *, void **, void *, int64_t, const double *);
extern int32_t game_inner_remember(int64_t *, void **, void *, int64_t, float *);

_Static_assert(sizeof(game_policy) <= 256, "as in host.js");

enum {
  STATE = GAME_LISTENING_SIZE - GAME_STATE_SIZE, /* where it is in memory */
  MOST_STACK = 256 * 1024,
  LONGEST = 1 << 20 /* bytes of a text from outside */
};

struct game_words {
  JSRuntime *runtime;
  JSContext *context;
  JSValue ask;
  const char *text; /* the last answer, or why there is none */
  int32_t code; /* the action of a player, 0, or an error */
  const void *given; /* what comes with a question */
  size_t given_size;
  uint64_t memory[GAME_WORDS_MEMORY / 8];
};

/* The functions of the rules that the modules call. */
static JSValue rules(JSContext *context, JSValueConst self, int count, JSValueConst *given) {
  game_words *words = JS_GetContextOpaque(context);
  uint8_t *memory = (uint8_t *)words->memory;
  void *state = memory + STATE, *nothing, *raised = 0;
  int32_t kind, error = 0;
  int64_t a = 0, b = 0;
  (void)self, (void)count;
  if (JS_ToInt32(context, &kind, given[0])) return JS_EXCEPTION;
  if (kind >= 2 && JS_ToInt64(context, &a, given[1])) return JS_EXCEPTION;
  if (kind >= 3 && JS_ToInt64Ext(context, &b, given[2])) return JS_EXCEPTION;
  switch (kind) {
  case 0: error = game_inner_derive(&nothing, &raised, state); break;
  case 1: error = game_inner_inspect(&nothing, &raised, state, memory + GAME_FACTS_PLACE); break;
  case 2:
    error = game_inner_mask(&nothing, &raised, state, a, (int8_t *)memory + GAME_MASK_PLACE);
    break;
  case 3: error = game_inner_apply(&nothing, &raised, state, a, b); break;
  case 4: error = game_inner_redeal(&nothing, &raised, state, a, (uint64_t)b); break;
  default: error = game_inner_tell(&nothing, &raised, memory, a, b);
  }
  return JS_NewInt32(context, error ? GAME_OUT_OF_MEMORY : 0);
}

static int32_t search(
  const game_state *state, int32_t seat, const game_policy *policy, const char *text) {
  game_search_settings settings;
  int32_t error = game_search_parse(&settings, text);
  if (error) return error;
  int64_t size = game_search_memory(&settings, policy);
  if (size < 0) return (int32_t)size;
  void *memory = malloc((size_t)size);
  if (!memory) return GAME_OUT_OF_MEMORY;
  error = game_search(&settings, policy, state, seat, memory, (size_t)size);
  free(memory);
  return error;
}

/* The likeliest action, or the logits of all, if there is room for them. */
static int32_t ask_policy(const game_state *state, int32_t seat, const game_policy *policy,
  float *logits, float *remembered) {
  float value, observation[GAME_OBSERVATION_SIZE];
  int8_t mask[GAME_NUM_ACTIONS];
  size_t size = (size_t)game_policy_memory(policy);
  void *memory = malloc(size);
  if (!memory) return GAME_OUT_OF_MEMORY;
  game_mask(state, seat, mask);
  game_observe(state, seat, observation);
  int32_t found = logits
    ? game_policy_evaluate(policy, observation, mask, logits, &value, remembered, memory, size)
    : game_policy_choose(policy, state, seat, remembered, memory, size);
  free(memory);
  return found;
}

static void *bytes_of(JSContext *context, JSValueConst value, size_t *size) {
  *size = 0;
  return JS_IsUndefined(value) ? 0 : JS_GetArrayBuffer(context, size, value);
}

/* What the players ask, of the state in memory: an action, 0, or an error. */
static JSValue ask_rules(JSContext *context, JSValueConst self, int count, JSValueConst *given) {
  game_words *words = JS_GetContextOpaque(context);
  game_state *state = (void *)((uint8_t *)words->memory + STATE);
  int32_t kind, seat, found = 0, error = 0;
  int64_t answer = 0;
  size_t size;
  void *raised = 0;
  (void)self, (void)count;
  if (JS_ToInt32(context, &kind, given[0]) || JS_ToInt32(context, &seat, given[1]))
    return JS_EXCEPTION;
  game_policy *policy = bytes_of(context, given[3], &size);
  void *bytes = bytes_of(context, given[2], &size);
  const char *text;
  switch (kind) {
  case 0: return JS_NewString(context, game_error(seat));
  case 1: found = game_mask(state, seat, bytes); break;
  case 2: found = game_grave(state, seat, bytes); break;
  case 3: found = game_scripted(state, seat); break;
  case 4: error = game_inner_styled(&answer, &raised, state, seat, bytes); break;
  case 5:
    error = game_inner_remember(&answer, &raised, state, seat, bytes);
    answer = answer ? 0 : GAME_BAD_ARGUMENT;
    break;
  case 6:
    found = game_policy_open(policy, bytes, size);
    if (!found) found = (int32_t)game_policy_remembers(policy);
    break;
  case 7:
    found = ask_policy(state, seat, policy, bytes, bytes_of(context, given[4], &size));
    break;
  case 8:
    error = game_inner_settle(&answer, &raised, state, seat, bytes);
    break;
  default:
    text = JS_ToCString(context, given[4]);
    if (!text) return JS_EXCEPTION;
    found = search(state, seat, policy, text);
    JS_FreeCString(context, text);
  }
  return JS_NewInt32(context, error ? GAME_OUT_OF_MEMORY : found + (int32_t)answer);
}

/* The modules are parts of this library. */
static JSModuleDef *module_of(JSContext *context, const char *name, void *opaque) {
  (void)opaque;
  for (const game_module *module = game_modules; module->name; module++) {
    if (strcmp(module->name, name)) continue;
    JSValue made = JS_Eval(context, module->source, module->size - 1, name,
      JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(made)) return 0;
    JSModuleDef *found = JS_VALUE_GET_PTR(made);
    JS_FreeValue(context, made); /* the context keeps it */
    return found;
  }
  return 0;
}

static int begin(game_words *words) {
  JSContext *context = words->context;
  JS_SetContextOpaque(context, words);
  JS_SetMaxStackSize(words->runtime, MOST_STACK);
  JS_SetModuleLoaderFunc(words->runtime, 0, module_of, 0);
  JSValue global = JS_GetGlobalObject(context);
  JS_SetPropertyStr(context, global, "rules", JS_NewCFunction(context, rules, "rules", 3));
  JS_SetPropertyStr(context, global, "askRules", JS_NewCFunction(context, ask_rules, "askRules", 5));
  JS_SetPropertyStr(context, global, "memory",
    JS_NewArrayBuffer(context, (uint8_t *)words->memory, sizeof words->memory, 0, 0, 0, 0));
  const game_module *host = game_modules; /* the first of them */
  JSValue done = JS_Eval(context, host->source, host->size - 1, host->name, JS_EVAL_TYPE_MODULE);
  JS_FreeValue(context, done);
  words->ask = JS_GetPropertyStr(context, global, "ask");
  JS_FreeValue(context, global);
  return JS_IsFunction(context, words->ask);
}

game_words *game_words_open(void) {
  game_words *words = calloc(1, sizeof *words);
  if (!words) return 0;
  words->ask = JS_UNDEFINED;
  words->runtime = JS_NewRuntime();
  if (words->runtime) words->context = JS_NewContext(words->runtime);
  if (words->context && begin(words)) return words;
  game_words_close(words);
  return 0;
}

void game_words_close(game_words *words) {
  if (!words) return;
  if (words->context) {
    if (words->text) JS_FreeCString(words->context, words->text);
    JS_FreeValue(words->context, words->ask);
    JS_FreeContext(words->context);
  }
  if (words->runtime) JS_FreeRuntime(words->runtime);
  free(words);
}

int32_t game_words_code(const game_words *words) { return words->code < 0 ? words->code : 0; }

const char *game_words_reason(const game_words *words) {
  if (words->code >= 0) return "";
  return words->text ? words->text : game_error(words->code);
}

/* Ask the modules; what they answer is in `text` and `code`. */
static int32_t ask(game_words *words, const char *what, const char *text, const game_state *state,
  int32_t seat, int64_t number, int32_t viewer) {
  JSContext *context = words->context;
  JS_UpdateStackTop(words->runtime); /* it may be another thread than the last time */
  if (!text) text = "";
  if (!memchr(text, 0, LONGEST)) what = "too_long", text = "";
  if (state) memcpy((char *)words->memory + STATE, state, sizeof *state);
  JSValue given[] = {JS_NewString(context, what), JS_NewString(context, text),
    JS_NewInt32(context, seat), JS_NewBigUint64(context, (uint64_t)number),
    JS_NewInt32(context, viewer),
    words->given ? JS_NewArrayBuffer(
      context, (uint8_t *)words->given, words->given_size, 0, 0, 0, 0) : JS_UNDEFINED};
  words->given = 0;
  if (words->text) JS_FreeCString(context, words->text); /* it may be what was given */
  words->text = 0;
  JSValue found = JS_Call(context, words->ask, JS_UNDEFINED, 6, given);
  for (int k = 0; k < 6; k++) JS_FreeValue(context, given[k]);
  words->code = GAME_OUT_OF_MEMORY;
  if (JS_IsException(found)) {
    JS_FreeValue(context, JS_GetException(context));
    return words->code;
  }
  JSValue code = JS_GetPropertyStr(context, found, "code");
  JSValue answer = JS_GetPropertyStr(context, found, "text");
  words->text = JS_ToCString(context, answer);
  if (words->text) JS_ToInt32(context, &words->code, code);
  JS_FreeValue(context, code);
  JS_FreeValue(context, answer);
  JS_FreeValue(context, found);
  return words->code;
}

static const char *said(
  game_words *words, const char *what, const char *text, const game_state *state, int32_t seat) {
  return ask(words, what, text, state, seat, 0, 0) ? 0 : words->text;
}

const char *game_to_json(game_words *words, const game_state *state) {
  return said(words, "to_json", 0, state, 0);
}

const char *game_view(game_words *words, const game_state *state, int32_t seat) {
  return said(words, "view", 0, state, seat);
}

const char *game_text(game_words *words, const game_state *state, int32_t seat) {
  return said(words, "text", 0, state, seat);
}

const char *game_headline(game_words *words, const game_state *state, int32_t seat) {
  return said(words, "headline", 0, state, seat);
}

const char *game_picture(
  game_words *words, const game_state *state, int32_t seat, const char *look) {
  return said(words, "picture", look, state, seat);
}

const char *game_choices(game_words *words, const game_state *state, int32_t seat) {
  return said(words, "choices", 0, state, seat);
}

int32_t game_words_names(game_words *words, const char *json) {
  return ask(words, "names", json, 0, 0, 0, 0);
}

/* The position that was asked for; none if there was an error. */
static int32_t take_state(game_words *words, game_state *state) {
  if (!words->code) memcpy(state, (char *)words->memory + STATE, sizeof *state);
  return words->code;
}

int32_t game_from_json(game_words *words, game_state *state, const char *json) {
  ask(words, "from_json", json, 0, 0, 0, 0);
  return take_state(words, state);
}

int32_t game_from_view(
  game_words *words, game_state *state, const char *view, int32_t seat, uint64_t seed) {
  ask(words, "from_view", view, 0, seat, (int64_t)seed, 0);
  return take_state(words, state);
}

const char *game_apply_telling(
  game_words *words, game_state *state, int32_t seat, int32_t action, int32_t viewer) {
  ask(words, "play", 0, state, seat, action, viewer);
  return take_state(words, state) ? 0 : words->text;
}

int32_t game_load_policy(game_words *words, const void *weights, size_t size) {
  words->given = weights, words->given_size = size;
  return ask(words, "load_policy", 0, 0, 0, 0, 0);
}

const char *game_players(game_words *words, const game_state *state) {
  return said(words, "players", 0, state, 0);
}

int32_t game_choose(game_words *words, const game_state *state, int32_t seat, const char *player,
  uint64_t seed, char *memory) {
  const char *end = memory ? memchr(memory, 0, GAME_PLAYER_MEMORY) : 0;
  words->given = memory, words->given_size = end ? (size_t)(end - memory) : GAME_PLAYER_MEMORY;
  int32_t action = ask(words, "choose", player, state, seat, (int64_t)seed, 0);
  if (memory && action >= 0) memcpy(memory, words->text, strlen(words->text) + 1);
  return action;
}
