"""keratin.distributed in one process: what is refused. Jobs are tests/distributed's."""
import os
import subprocess
import sys

import numpy as np
import pytest

from keratin import distributed


def test_arrays_are_gathered_along_the_first_axis():
    assert distributed.all_gather(np.ones((2, 3))).shape == (2, 3)
    with pytest.raises(ValueError, match='distributed.all_gather: axis 1 of an array; needed 0, or a tensor'):
        distributed.all_gather(np.ones((2, 3)), 1)
    with pytest.raises(ValueError, match="distributed.all_gather: an array along 'data'; needed a tensor"):
        distributed.all_gather(np.ones((2, 3)), along='data')


@pytest.mark.parametrize('mesh, error, message', [
    (['data'], TypeError, r"argument 1 is \['data'\] \(list\); needed a dict: the axes, with the number of ranks along each"),
    ({'data': '2'}, TypeError, r"argument 1 is '2' \(str\); needed a whole number"),
    ({1: 2}, TypeError, r'argument 1 is 1 \(int\); needed a string'),
    ({'': 1}, ValueError, "an axis is named ''; needed letters, digits and _, a letter first, 64 at most"),
    ({'data': 2**32 + 1}, ValueError, 'a mesh of data 2147483647 is 2147483647 ranks; there are 1')])
def test_a_mesh_that_is_none(mesh, error, message):
    with pytest.raises(error, match='distributed.init: ' + message):
        distributed.init(mesh)


@pytest.mark.parametrize('variable', ['KERATIN_GATHER_PARTS', 'KERATIN_LOCAL_STATISTICS'])
def test_what_programs_may_have_is_on_or_off(variable):
    environment = {**os.environ, 'KERATIN_SHARD': 'batch', variable: 'yes'}
    done = subprocess.run([sys.executable, '-c', 'import keratin.backend'], env=environment, text=True, capture_output=True)
    assert done.returncode == 1
    assert "ValueError: %s is 'yes'; needed is on or off" % variable in done.stderr
