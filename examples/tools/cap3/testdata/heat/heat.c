/* Heat in a square of n by n points, so many steps: rows are split among processes, which
   exchange their border rows, and all agree on what has changed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, p, n = atoi(argv[1]), steps = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  int rows = n / p + (rank < n % p);
  double *a = calloc((size_t)(rows + 2) * n, sizeof *a), *b = calloc((size_t)(rows + 2) * n, sizeof *b);
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < p - 1 ? rank + 1 : MPI_PROC_NULL;
  if (rank == 0)
    for (int j = 0; j < n; j++) a[n + j] = b[n + j] = 100;
  double all = 0;
  for (int s = 0; s < steps; s++) {
    MPI_Sendrecv(a + n, n, MPI_DOUBLE, up, 0, a + (size_t)(rows + 1) * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + (size_t)rows * n, n, MPI_DOUBLE, down, 1, a, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double changed = 0;
    for (int i = 1; i <= rows; i++) {
      if (rank == 0 && i == 1) continue;
      for (int j = 1; j < n - 1; j++) {
        size_t k = (size_t)i * n + j;
        b[k] = .25 * (a[k - 1] + a[k + 1] + a[k - n] + a[k + n]);
        double d = b[k] - a[k];
        changed += d * d;
      }
    }
    double *t = a; a = b; b = t;
    MPI_Allreduce(&changed, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%g\n", all);
  MPI_Finalize();
  return 0;
}
