/* Actions per second of processor time: one game with its masks, and a batch as BatchEnv steps it. bench SECONDS GAMES */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "game.h"

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static uint64_t seed = 0;

#define BETWEEN 4096 /* actions between looks at the clock */

/* Random actions in one game after the other: checked, applied, and what is legal next. */
static double one_game(const game_options *options, double seconds) {
  static game_state state;
  int8_t mask[GAME_NUM_ACTIONS];
  int32_t legal[GAME_NUM_ACTIONS];
  uint32_t random = 1;
  long count = 0;
  double started = now();
  game_deal(&state, options, seed++);
  int32_t choices = game_legal(&state, game_to_move(&state), mask, legal);
  while (count % BETWEEN || now() - started < seconds) {
    random = random * 1664525u + 1013904223u;
    int32_t action = legal[(uint64_t)random * (uint64_t)choices >> 32];
    choices = game_play(&state, game_to_move(&state), action, mask, legal);
    if (choices == 0) {
      game_deal(&state, options, seed++);
      choices = game_legal(&state, game_to_move(&state), mask, legal);
    }
    count++;
  }
  return count / (now() - started);
}

static double many_games(game_batch *batch, double seconds) {
  long count = 0;
  double started = now();
  while (now() - started < seconds) {
    game_batch_random(batch);
    game_batch_step(batch);
    count += batch->count;
  }
  return count / (now() - started);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 1;
  int64_t games = argc > 2 ? atol(argv[2]) : 1024, size = game_batch_memory(games, 1);
  game_options options;
  game_batch batch;
  game_default_options(&options);
  char *memory = malloc((size_t)size + 64);
  game_batch_begin(&batch, games, 1, GAME_REWARD_WIN, &options, 0, memory + (64 - (uintptr_t)memory % 64), (size_t)size);
  one_game(&options, seconds / 4);
  many_games(&batch, seconds / 4);
  printf("%.0f %.0f\n", one_game(&options, seconds), many_games(&batch, seconds));
  return 0;
}
