"""A rank that trains from a checkpoint, if there is one: checkpoint_test.py and shrink_test.py start it.

checkpoint_step.py INDEX STEPS [RANK AT [on]]: trains as many steps in all, writes a checkpoint behind each and prints its
loss; this rank is killed before the step AT, and with "on" the others go on without those that are lost.
"""
import os
import signal
import sys

import numpy

import keratin.backend as K
from keratin import distributed

distributed.init()
rank, size = distributed.rank(), distributed.size()
path, steps = sys.argv[1], int(sys.argv[2])
victim, end = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 3 else (-1, -1)
goes_on = sys.argv[5:] == ['on']

x = K.placeholder((K.Dim('batch'), 12), name='x')
t = K.placeholder((K.Dim('batch'), 3), name='t')
initial = numpy.random.RandomState(3)
w = K.variable(initial.randn(12, 16) * .3, name='w')
v = K.variable(initial.randn(16, 3) * .3, name='v')
count = K.variable(0, dtype='int64', name='count')
weights = [w, v]
momenta = [K.variable(numpy.zeros(K.int_shape(p)), name='momentum_%d' % i) for i, p in enumerate(weights)]
y = K.softmax(K.dot(K.dropout(K.relu(K.dot(x, w)), 0.5, seed=5), v))
loss = K.mean(K.categorical_crossentropy(t, y))
updates = [K.update_add(count, K.constant(1, dtype='int64'))]
for p, m, g in zip(weights, momenta, K.gradients(loss, weights)):
    step = 0.9 * m - 0.2 * g
    updates += [K.update(m, step), K.update(p, p + step)]
train = K.function([x, t], [loss], updates, shard=['batch'])

if os.path.exists(path):
    distributed.load_checkpoint(train, path)
data = numpy.random.RandomState(7)
images = data.rand(40, 12).astype('float32')
labels = numpy.eye(3, dtype='float32')[data.randint(0, 3, 40)]
while int(K.get_value(count)) < steps:
    if rank == victim and int(K.get_value(count)) == end:
        os.kill(os.getpid(), signal.SIGKILL)
    rows = slice(40 * rank // size, 40 * (rank + 1) // size)
    try:
        value = train([images[rows], labels[rows]])[0]
        distributed.save_checkpoint(train, path)
    except distributed.LostRankError:
        if not goes_on:
            raise
        distributed.shrink()
        rank, size, victim = distributed.rank(), distributed.size(), -1
        distributed.load_checkpoint(train, path)
        continue
    print('step %d: %.9g' % (K.get_value(count), value), flush=True)
if goes_on:
    print('ended as rank %d of %d over %s' % (rank, size, distributed.engine()), flush=True)
