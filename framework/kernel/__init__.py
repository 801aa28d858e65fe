"""Machine code: kernels, what makes them, and what runs them. To read in this order:

making        emit.py        LLVM IR through values that behave like numbers
              bodies.py, special.py, activations.py    the mathematics of one element, written once; double.py, in float64
              complexes.py   of complex numbers
              memory.py      how elements in memory become values to compute with
              build.py       from a recipe to an address, in all cores; cache.py, objects on disk; target.py, the machine;
              apart.py       what signals may not break off
              irregular.py   kernels that numba compiles; custom.py, from functions of the program's own
              series.py      mathematics of as many terms as an element needs, compiled so
running       plan.py        which kernels run on which buffers
              executor.py    run a plan, on one thread or several; plain.py, the same without native glue
              heap.py        freed memory is kept
              glue.py        builtin functions for Python; fields.py, site.py; their code: given.py, call.py, and
                             change.py for writes in place
              standalone.py  programs as object files, for who has no Python
              repeat.py      programs and bodies again and again, for loops of graph mode
              control.py     automata, for its branches and recursion; numbers.py, Python's numbers in them
              compose.py     bodies of bodies, for graph mode; ends.py, those behind a product or a convolution
              overlap.py     whether arrays share memory
elements      loops.py       loops around bodies             sweep.py        the same over many arrays, in place
              ramp.py        equal distances                 transpose.py    permuted copies
reductions    reduce.py, reduce_parts.py                     moments.py      mean and variance in one pass
              extremes.py    extremes with positions         scan.py         running sums and their kin
rows          rows.py        softmax, layer norm, losses     norm.py         norms of images
products      gemm.py, gemm_parts.py, gemm_tiles.py          gemm_vector.py  a matrix and a vector
images        conv.py, then conv_*.py                        pooling.py, then pooling_*.py
              resize.py      other sizes; windows            taps.py        pixels at given places
              pixels.py      bytes as planes of numbers
sequences     recurrent.py   cells of LSTM and GRU           ctc.py          the sums of CTC
places        indexing.py    take and put                    nonzero.py      which are not zero
order         sort.py        sorting, best k, search         counting.py     how often
files         checksum.py    of records in files
chance        philox.py      counter-based random bits       sampling.py     what takes a varying number of them
"""
