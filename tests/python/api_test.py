"""The K functions as Python has them: all those of docs/api.md, each with a documentation that fits."""
import inspect
import pathlib
import re
import types

import pytest

import keratin.backend as K

API = pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'api.md'
# Name and first line of the documentation.
TABLE = dict(re.findall(r'^\| `(\w+)\(.*\)` \| `K::\w+` \| (.+) \|$', API.read_text(), re.MULTILINE))
# What a `with` statement takes, instances of classes.
CONTEXTS = ['control_dependencies', 'name_scope']
TYPES = ['Dim', 'Function', 'Tensor']


def documented_parameters(documentation):
    """The names that the Args section describes: 'x: ...', 'x, y: ...', '**kwargs: ...'."""
    section = re.search(r'^Args:\n((?:    .*\n?|\n)*)', documentation, re.MULTILINE)
    if not section:
        return []
    heads = re.findall(r'^    (\*{0,2}\w+(?:, \w+)*): ', section.group(1), re.MULTILINE)
    return [name.lstrip('*') for head in heads for name in head.split(', ')]


def test_the_module_has_the_functions_of_the_table():
    assert len(TABLE) > 150
    public = [name for name in vars(K) if not name.startswith('_')]
    assert sorted(public) == sorted(list(TABLE) + TYPES)


@pytest.mark.parametrize('name', sorted(TABLE))
def test_documentation_fits(name):
    function = getattr(K, name)
    documentation = inspect.getdoc(function)
    assert documentation.split('\n')[0] == TABLE[name]
    assert documented_parameters(documentation) == list(inspect.signature(function).parameters)


@pytest.mark.parametrize('name', sorted(set(TABLE) - set(CONTEXTS)))
def test_functions_are_plain(name):
    function = getattr(K, name)
    assert type(function) is types.FunctionType
    assert function.__name__ == name


@pytest.mark.parametrize('name', sorted(TABLE))
def test_a_test_calls_it(name):
    files = [path for path in pathlib.Path(__file__).parent.glob('*_test.py') if path.name != 'api_test.py']
    assert any(re.search(r"\b(?:K|keratin)\.%s\b|'%s'" % (name, name), path.read_text()) for path in files)
