/* Seat 0 plays from its own view only, as the client of a site does; the others play at random.
   cc example.c -I. -L. -l:lib@NAME@.a -lm -lpthread -o example */
#include <stdio.h>

#include "game.h"

/* What a seat plays that sees this view: the choice of a search, or an error. */
static int32_t choose(game_words *words, const char *view, int32_t seat, uint64_t seed) {
  game_state state; /* agrees with the view; what the view hides is drawn */
  int32_t error = game_from_view(words, &state, view, seat, seed);
  if (error < 0) {
    fprintf(stderr, "%s\n", game_words_reason(words));
    return error;
  }
  return game_choose(words, &state, seat, "search:sims=50", seed, NULL);
}

int main(void) {
  if (game_interface_version() != GAME_INTERFACE) return 1; /* the library of another header */
  game_options options;
  game_default_options(&options);
  game_set_option(&options, "num_players", "2");
  game_words *words = game_words_open();
  game_state state;
  int32_t error = game_deal(&state, &options, 7);
  if (error < 0 || !words) {
    fprintf(stderr, "%s\n", game_error(error < 0 ? error : GAME_OUT_OF_MEMORY));
    return 1;
  }

  uint64_t generator = 1;
  int actions = 0;
  for (; !game_over(&state); actions++) {
    int32_t seat = game_to_move(&state);
    int32_t action = seat == 0 ? choose(words, game_view(words, &state, seat), seat, 1)
                               : game_random(&state, seat, &generator);
    if (game_apply(&state, seat, action) < 0) return 1;
    if (actions == 0) printf("first: %s\n", game_action_name(action));
  }

  double returns[GAME_MAX_PLAYERS];
  game_returns(&state, returns);
  printf("%d actions, returns %g and %g\n", actions, returns[0], returns[1]);
  game_words_close(words);
  return 0;
}
