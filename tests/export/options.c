/* Deals a game for each line of stdin, which is the name and the value of an option with a tab
   between. Prints a line for each: the state in hexadecimal, or the number of the error. */
#include <stdio.h>
#include <string.h>

#include "game.h"

int main(void) {
  static char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char *value = strchr(line, '\t');
    *value++ = 0;
    game_options options, before;
    game_default_options(&options);
    before = options;
    game_state state;
    int32_t code = game_set_option(&options, line, value);
    if (code && memcmp(&options, &before, sizeof options)) return 1;
    if (!code) code = game_deal(&state, &options, 7);
    if (code) printf("%d", code);
    for (size_t k = 0; !code && k < sizeof state; k++) printf("%02x", ((uint8_t *)&state)[k]);
    printf("\n");
  }
  return 0;
}
