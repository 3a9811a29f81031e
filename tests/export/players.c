/* Prints for each question, one in a line of stdin, what players.mjs prints: a seat, a seed, a name,
   a memory (- for none), and a position, with tabs between. players WEIGHTS ... < QUESTIONS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game.h"

static void need(int good) {
  if (!good) exit(4);
}

static void quote(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

static void load(game_words *words, const char *path) {
  static uint64_t content[8][1 << 20];
  static int count;
  FILE *file = fopen(path, "rb");
  need(file && count < 8);
  size_t size = fread(content[count], 1, sizeof content[count], file);
  fclose(file);
  need(game_load_policy(words, content[count], size - 1) == GAME_WRONG_SIZE);
  need(game_load_policy(words, (char *)content[count] + 4, size - 4) == GAME_MISALIGNED);
  need(strstr(game_words_reason(words), "multiple of 8") != 0);
  need(game_load_policy(words, 0, 0) == GAME_NO_POLICY);
  need(!game_load_policy(words, content[count++], size));
}

int main(int count, char **paths) {
  static char line[1 << 20];
  game_words *words = game_words_open();
  need(words != 0);
  for (int k = 1; k < count; k++) load(words, paths[k]);
  while (fgets(line, sizeof line, stdin)) {
    const char *parts[5];
    char memory[GAME_PLAYER_MEMORY], before[GAME_PLAYER_MEMORY], quoted[256];
    game_state state, same;
    line[strcspn(line, "\n")] = 0;
    parts[0] = strtok(line, "\t");
    for (int k = 1; k < 5; k++) parts[k] = strtok(0, "\t");
    need(!game_from_json(words, &state, parts[4]));
    same = state;
    memset(memory, 'x', sizeof memory); /* no end, if the text is too long */
    if (strlen(parts[3] + 1) < sizeof memory) strcpy(memory, parts[3] + 1);
    memcpy(before, memory, sizeof memory);
    int32_t action = game_choose(words, &state, atoi(parts[0]), parts[2],
      strtoull(parts[1], 0, 10), *parts[3] == '-' ? 0 : memory);
    need(!memcmp(&state, &same, sizeof state));
    if (action < 0) {
      need(!memcmp(memory, before, sizeof memory) && action == game_words_code(words));
      printf("{\"code\": %d, \"refused\": ", action);
      quote(game_words_reason(words));
    } else {
      need(!game_words_code(words) && !*game_words_reason(words));
      snprintf(quoted, sizeof quoted, "\"%s\"", parts[2]);
      printf("{\"action\": %d, \"memory\": \"%s\", \"offered\": %s", action, memory,
        strstr(game_players(words, &state), quoted) ? "true" : "false");
    }
    printf("}\n");
  }
  game_words_close(words);
  return 0;
}
