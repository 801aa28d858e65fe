/* LeNet5, written by anfora 0.1.0.dev0 for the CPU rocketlake.
 *
 * Elements lie one behind the other, the last axis innermost:
 *
 * n = 1:
 *   x            float32 [1, 1, 32, 32], 4096 bytes
 *   output       float32 [1, 10], 40 bytes
 * n = 32:
 *   x            float32 [32, 1, 32, 32], 131072 bytes
 *   output       float32 [32, 10], 1280 bytes
 *
 * Results are the same bits for any number of threads, as long as the program rounds to nearest and keeps
 * subnormal numbers (-ffast-math, when a program is linked, turns these off).
 */
#ifndef LENET_H
#define LENET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of memory for what lies between the inputs and the results. */
#define LENET_WORKSPACE 1204288

/* Compute the results. They must not overlap with each other or with the inputs. `workspace` is LENET_WORKSPACE
 * bytes, whatever lies in them, which no other run uses meanwhile; if it is NULL, a run takes them from malloc. What
 * each thread needs for itself, up to 55296 bytes, is from malloc too. Any thread may call it at any time. Gives
 *
 *   0     all is well
 *   -1    there is no memory; nothing is written
 *   -2    n is none of the numbers above
 *   > 0   the data are refused: see lenet_error; the results are not to be used
 */
int lenet_run(int64_t n, const float *x, float *output, void *workspace);

/* From now on let so many threads (1 to 256) share a run, the caller among them; gives how many these are, fewer
 * where the system makes no more. At first there is 1. Waits for a run that is shared. Called with 1 it ends all
 * threads, as it must before the library is unloaded. A process that was forked while there were threads has none: it
 * calls this before it runs. */
int lenet_set_threads(int threads);

/* What a code of lenet_run means; the text stays where it is. */
const char *lenet_error(int code);

#ifdef __cplusplus
}
#endif

#endif
