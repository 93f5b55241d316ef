"""A rank of a training job: distributed_test.py starts it, several times or once.

step.py OUT [DTYPE [AXIS=SIZE...]]: writes the losses, the weights and this rank's part of the predictions and of the
dropout mask to OUT.<rank>.npz. With axes the ranks are in a mesh, and the parts are along 'data'.
"""
import sys

import numpy

import keratin.backend as K
from keratin import distributed

mesh = {axis: int(count) for axis, count in (each.split('=') for each in sys.argv[3:])}
distributed.init(mesh)
K.set_floatx((sys.argv[2:] or ['float32'])[0])
rank, size = (distributed.rank('data'), distributed.size('data')) if mesh else (distributed.rank(), distributed.size())
random = numpy.random.RandomState(7)
images = random.rand(90, 12).astype('float32')
labels = numpy.eye(3, dtype='float32')[random.randint(0, 3, 90)]

# Each rank begins elsewhere, and gets what rank 0 has.
own = numpy.random.RandomState(distributed.rank())
w = K.variable(own.randn(12, 8) * .3, name='w')
b = K.variable(numpy.zeros(8), name='b')
v = K.variable(own.randn(8, 3) * .3, name='v')
weights = [w, b, v]
distributed.broadcast(weights)

x = K.placeholder((K.Dim('batch'), 12))
t = K.placeholder((K.Dim('batch'), 3))
hidden = K.relu(K.dot(x, w) + b)
mean = K.mean(hidden, axis=0)
hidden = (hidden - mean) / K.sqrt(K.mean(K.square(hidden - mean), axis=0) + 1e-3)  # over all ranks
mask = K.dropout(K.ones_like(hidden), 0.25, seed=3)
hidden = hidden * mask
y = K.softmax(K.dot(hidden, v))
loss = K.mean(K.categorical_crossentropy(t, y))
accuracy = K.mean(K.cast(K.equal(K.argmax(t, axis=-1), K.argmax(y, axis=-1)), K.floatx()))
updates = [K.update(p, p - 0.5 * g) for p, g in zip(weights, K.gradients(loss, weights))]
step = K.function([x, t], [loss, accuracy, y, mask], updates, shard=['batch'])

losses = []
for epoch in range(4):
    for first in range(0, 90, 30):
        rows = numpy.arange(first, first + 30)
        # Parts of different lengths.
        bounds = [30 * r * (r + 1) // (size * (size + 1)) for r in range(size + 1)]
        rows = rows[bounds[rank]:bounds[rank + 1]]
        results = step([images[rows], labels[rows]])
        losses.append([float(results[0]), float(results[1])])
distributed.barrier()
numpy.savez('%s.%d.npz' % (sys.argv[1], distributed.rank()), losses=losses, y=results[2], mask=results[3], engine=distributed.engine(),
            **{'w%d' % i: K.get_value(p) for i, p in enumerate(weights)})
distributed.barrier()
if distributed.rank() == 0:
    print('trained')
