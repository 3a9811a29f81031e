/* Prints as JSON what the library says of itself, of memory that does not do, and of searches by the
   clock. */
#include <stdio.h>
#include <stdlib.h>

#include "game.h"

static int32_t searched(const game_state *state, const char *text) {
  game_search_settings settings;
  int32_t error = game_search_parse(&settings, text);
  if (error) return error;
  int64_t size = game_search_memory(&settings, NULL);
  void *memory = malloc((size_t)size);
  int32_t action = game_search(&settings, NULL, state, game_to_move(state), memory, (size_t)size);
  free(memory);
  return action;
}

int main(void) {
  static double place[1 << 16];
  game_options options;
  game_state state;
  game_batch batch;
  game_search_settings settings;
  game_default_options(&options);
  if (game_deal(&state, &options, 3) || game_search_parse(&settings, "sims=2")) return 1;
  printf("{\"interface\": [%d, %d], \"names\": [", game_interface_version(), GAME_INTERFACE);
  for (int32_t a = 0; game_action_name(a); a++) printf("%s\"%s\"", a ? ", " : "", game_action_name(a));
  printf("], \"no name\": %d", game_action_name(-1) != NULL);
  printf(", \"search memory\": [%d, %d]",
    game_search_begin(&settings, NULL, (char *)place + 4, sizeof place),
    game_search_begin(&settings, NULL, place, 64));
  printf(", \"batch memory\": [%d, %d]",
    game_batch_begin(&batch, 1, 1, 0, &options, 1, (char *)place + 8, sizeof place),
    game_batch_begin(&batch, 1, 1, 0, &options, 1, (void *)(((uintptr_t)place + 63) / 64 * 64), 64));
  printf(", \"weights\": %d", game_policy_open(NULL, (char *)place + 4, 64));
  printf(", \"by the clock\": [%d, %d, %d]", searched(&state, "search:ms=20"),
    searched(&state, "ms=20:root=gumbel"), searched(&state, "ms=1"));
  printf(", \"refused\": [%d, %d, %d]}\n", searched(&state, "ms=20:sims=5"),
    searched(&state, "ms=0"), searched(&state, "ms=86400001"));
  return 0;
}
