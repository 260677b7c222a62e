#!/usr/bin/python3
"""Least cost of reservations at several use prices, bought at any slot, as a linear program for HiGHS.

    usedays.py INSTANCE      # apt-get install python3-scipy

INSTANCE is text: "T K p", then K lines "term fee use", then T demands; amounts are whole numbers.
With the classes in the order of falling use price q, q_0 = p, and N_k[t] the active reservations of the
classes k and later, slot t costs  q_K·d + sum over k of (q_{k-1} - q_k)·max(0, d - N_k).  N_k[t] - N_k[t-1] is
what begins less what ends, which keeps the rows short. Prints the bound and the seconds.
"""
import sys, time
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

data = np.array(open(sys.argv[1]).read().split(), dtype=np.int64)
T, K, p = (int(x) for x in data[:3])
classes = sorted(([int(x) for x in data[3 + 3 * k:6 + 3 * k]] for k in range(K)), key=lambda c: -c[2])
d = data[3 + 3 * K:].astype(float)
start = time.time()
q = [p] + [c[2] for c in classes]
groups = [k for k in range(K) if q[k] > q[k + 1]]  # N of the classes k and later
R, G = K * T, len(groups)
cost = np.zeros(R + 2 * G * T)
for k, c in enumerate(classes):
    cost[k * T:(k + 1) * T] = c[1]
rows, cols, vals, upper, eqr, eqc, eqv = [], [], [], [], [], [], []
t = np.arange(T)
for g, k in enumerate(groups):
    N, w = R + g * T, R + (G + g) * T
    step = q[k] - next(q[j] for j in range(k + 1, K + 1) if q[j] < q[k])
    cost[w:w + T] = step
    rows += [g * T + t, g * T + t]; cols += [N + t, w + t]; vals += [-np.ones(T), -np.ones(T)]
    upper.append(-d)
    eqr += [g * T + t, g * T + t[1:]]; eqc += [N + t, N + t[:-1]]; eqv += [np.ones(T), -np.ones(T - 1)]
    for l in range(k, K):
        term = classes[l][0]
        eqr += [g * T + t, g * T + t[term:]]; eqc += [l * T + t, l * T + t[:-term or None][:max(0, T - term)]]
        eqv += [-np.ones(T), np.ones(max(0, T - term))]
n = len(cost)
A = coo_matrix((np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols))), (G * T, n)).tocsr()
E = coo_matrix((np.concatenate(eqv), (np.concatenate(eqr), np.concatenate(eqc))), (G * T, n)).tocsr()
r = linprog(cost, A, np.concatenate(upper), E, np.zeros(G * T), bounds=(0, None), method="highs")
assert r.status == 0, r.message
print(r.fun + q[K] * d.sum(), time.time() - start)
