"""What type checkers read (.pyi) is what there is."""
import ast
import inspect
import pathlib

import pytest

import keratin
import keratin._functions as functions

PACKAGE = pathlib.Path(keratin.__file__).parent
GENERATED = ast.parse((PACKAGE / '_functions.pyi').read_text()).body
STUBS = {each.name: each for each in GENERATED if isinstance(each, ast.FunctionDef)}
NATIVE = [each for each in ast.parse((PACKAGE / '_native.pyi').read_text()).body
          if isinstance(each, ast.ClassDef)]


def test_every_generated_function_has_one():
    assert sorted(STUBS) == sorted(functions.__all__)


@pytest.mark.parametrize('name', functions.__all__)
def test_parameters_are_those_of_the_function(name):
    stub = STUBS[name].args
    parameters = inspect.signature(getattr(functions, name)).parameters.values()
    assert [each.arg for each in stub.args] == [each.name for each in parameters]
    assert len(stub.defaults) == sum(each.default is not each.empty for each in parameters)
    assert all(each.annotation is not None for each in stub.args)


def test_all_types_are_known():
    imported = {alias.asname or alias.name for each in GENERATED
                if isinstance(each, (ast.Import, ast.ImportFrom)) for alias in each.names}
    used = {node.id for each in STUBS.values() for node in ast.walk(each)
            if isinstance(node, ast.Name)}
    assert used - imported <= {'int', 'float', 'bool', 'str'}


@pytest.mark.parametrize('stub', NATIVE, ids=lambda stub: stub.name)
def test_members_of_native_classes(stub):
    kind = getattr(keratin._native, stub.name)
    stated = {each.name for each in stub.body if isinstance(each, ast.FunctionDef)}
    stated |= {each.target.id for each in stub.body if isinstance(each, ast.AnnAssign)}
    # What every tensor answers to without having it, and Python's own.
    stated -= {'__getattr__', '__setattr__', '_keras_shape', 'constraint'}
    assert not {name for name in stated if not hasattr(kind, name)}
    public = {name for name in vars(kind) if not name.startswith('_')}
    assert not public - stated
