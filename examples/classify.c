/* Recognise digits without Python, with the library that without_python.py writes:
 *
 *     cc -O2 classify.c lenet.o -pthread -o classify
 *     ./classify images.f32 logits.f32 4
 *
 * reads images of 32 × 32 floats, as many as there are, writes ten floats for each of them, and prints what digit it is.
 */
#include "lenet.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32, PIXELS = 32 * 32, DIGITS = 10 };

static float images[MOST * PIXELS], logits[MOST * DIGITS];

static int digit_of(const float *scores)
{
    int best = 0;
    for (int i = 1; i < DIGITS; i++)
        if (scores[i] > scores[best])
            best = i;
    return best;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s IMAGES LOGITS [THREADS]\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    void *workspace = malloc(LENET_WORKSPACE);
    if (!in || !out || !workspace) {
        perror(argv[0]);
        return 1;
    }
    lenet_set_threads(argc > 3 ? atoi(argv[3]) : 1);

    size_t found;
    while ((found = fread(images, sizeof(float) * PIXELS, MOST, in)) > 0) {
        /* The library is for 32 images at once, and for one. */
        size_t step = found == MOST ? MOST : 1;
        for (size_t i = 0; i < found; i += step) {
            int code = lenet_run((int64_t)step, images + i * PIXELS, logits + i * DIGITS, workspace);
            if (code) {
                fprintf(stderr, "%s: %s\n", argv[0], lenet_error(code));
                return 1;
            }
        }
        for (size_t i = 0; i < found; i++)
            printf("%d ", digit_of(logits + i * DIGITS));
        if (fwrite(logits, sizeof(float) * DIGITS, found, out) < found) {
            perror(argv[2]);
            return 1;
        }
    }
    printf("\n");
    lenet_set_threads(1);
    free(workspace);
    fclose(in);
    return fclose(out) ? 1 : 0;
}
