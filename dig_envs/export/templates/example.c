/* Plays a game of random actions against the scripted player.
   cc example.c -I. -L. -l:lib@NAME@.a -lm -o example */
#include <stdio.h>

#include "game.h"

int main(void) {
  game_options options;
  game_default_options(&options);
  game_set_option(&options, "num_players", "2");

  game_state state;
  int32_t error = game_deal(&state, &options, 7);
  if (error < 0) {
    fprintf(stderr, "%s\n", game_error(error));
    return 1;
  }

  uint64_t generator = 1;
  int actions = 0;
  for (; !game_over(&state); actions++) {
    int32_t seat = game_to_move(&state);
    int32_t action = seat == 0 ? game_scripted(&state, seat)
                               : game_random(&state, seat, &generator);
    game_apply(&state, seat, action);
  }

  double returns[GAME_MAX_PLAYERS];
  game_returns(&state, returns);
  printf("%d actions, returns %g and %g\n", actions, returns[0], returns[1]);
  return 0;
}
