/* Hops at the borders of a passage: over a few different tokens to equal tokens behind them. */

#include "runs.h"

enum { WINDOW = 16, HOP_HALF_WORDS = 6, N_HOPS = 9 };

/* Tokens skipped in the query and in the source: the smallest edits first. */
static const int hops[N_HOPS][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {2, 2}};

/* Returns how many tokens are equal from two places on, up to the ends of the windows. Writes their half words. */
static int64_t equal_tokens(const hashed_t *texts, int64_t here, int64_t there, int64_t room, int step, int64_t *half_words) {
    int64_t length = 0;
    *half_words = 0;
    for (; length < room; length++) {
        int64_t i = here + step * length, j = there + step * length;
        if (texts[QUERY].hashes[i] != texts[SOURCE].hashes[j]) break;
        *half_words += 2 - texts[QUERY].singles[i];
    }
    return length;
}

hop_t hop_find(const hashed_t *texts, int64_t here, int64_t there, bool forward) {
    int step = forward ? 1 : -1;
    int64_t room = least(WINDOW, forward ? texts[QUERY].n - here : here);
    int64_t room_there = least(WINDOW, forward ? texts[SOURCE].n - there : there);
    for (int hop = 0; hop < N_HOPS; hop++) {
        int64_t skipped = hops[hop][0], skipped_there = hops[hop][1], half_words;
        int64_t i = here + step * skipped - !forward, j = there + step * skipped_there - !forward;
        int64_t both = least(room - skipped, room_there - skipped_there);
        int64_t length = equal_tokens(texts, i, j, both, step, &half_words);
        if (half_words >= HOP_HALF_WORDS) return (hop_t){{skipped, skipped_there}, length};
    }
    return (hop_t){{0, 0}, 0};
}
