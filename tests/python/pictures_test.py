"""What functions and tensors look like: show(), dump(), notebooks, print()."""
import html
import re
import webbrowser

import numpy as np
import pytest

import keratin.backend as K
from keratin import _pictures, _tools


@pytest.fixture(scope='module')
def net():
    x = K.placeholder((None, 4), name='x')
    w = K.variable(np.ones((4, 3)), name='w')
    y = K.softmax(K.dot(x, w))
    return K.function([x], {'y': y}, [(w, w * 0.5)], name='net<1>')


def test_show_writes_a_page(net, tmp_path):
    assert net.show(tmp_path / 'net.html') == tmp_path / 'net.html'
    page = (tmp_path / 'net.html').read_text()
    assert '"net_1_.ktg"' in page and 'reduce_max' in page


def test_show_opens_a_browser(net, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, 'open', opened.append)
    monkeypatch.setenv('TMPDIR', str(tmp_path))
    monkeypatch.setattr('tempfile.tempdir', None)
    path = net.show()
    assert opened == ['file://' + path]
    # The graph that the tool has read is gone.
    assert [str(each) for each in tmp_path.iterdir()] == [path]


def test_show_takes_times(net, tmp_path):
    page = net.show(tmp_path / 'a.html', sizes={'x_dim0': 8}, profile=True).read_text()
    times = r'"us":[0-9]'
    assert re.search(times, page)
    assert not re.search(times, net.show(tmp_path / 'b.html').read_text())


def test_dump_gives_stages(net):
    assert 'keratin.dot_general' in net.dump()
    assert 'keratin.kernel' in net.dump('fused')
    assert 'schedule:' in net.dump('kernels')
    assert net.dump(format='dot').startswith('digraph')
    assert '"version": 1' in net.dump('plan', format='json')
    assert 'FLOPs' in net.dump(format='stats', sizes={'x_dim0': 7})
    assert 'keratin.dot_general' not in net.dump('input', around='keratin.exp', depth=0)


def refusal(call):
    with pytest.raises(ValueError) as info:
        call()
    return str(info.value)


def test_dump_says_what_it_needs(net):
    assert refusal(lambda: net.dump('ir')).startswith('net<1>: stage needs one of input|graph|')
    assert refusal(lambda: net.dump(format='png')).startswith('net<1>: format needs one of text|')
    assert "net<1>: size: the function has no size 'n'; there are" in refusal(
        lambda: net.dump(sizes={'n': 3}))
    assert refusal(lambda: net.dump(around='foo')) == 'net<1>: no op matches --around=foo'


def test_a_tool_that_is_not_there(monkeypatch):
    monkeypatch.setenv('PATH', '')
    with pytest.raises(RuntimeError, match='keratin-draw is neither in .*bin nor on the PATH'):
        _tools.find('keratin-draw')


def test_notebooks_have_the_page_of_a_function(net):
    text = net._repr_html_()
    page = html.unescape(re.fullmatch('<iframe srcdoc="([^"]*)" .*></iframe>', text).group(1))
    assert 'reduce_max' in page
    assert len(text) < 500000


@pytest.mark.parametrize('limit', ['_MOST_KERNELS', '_MOST_VALUES', '_MOST_BYTES_OF_PAGE'])
def test_notebooks_have_a_table_of_a_large_function(net, monkeypatch, limit):
    monkeypatch.setattr(_pictures, limit, 1)
    text = net._repr_html_()
    assert text.startswith('<b>keratin.Function net&lt;1&gt;</b><table>')
    assert '>(None, 4)<' in text and '>kernels<' in text


def test_notebooks_have_a_table_without_the_tool(net, monkeypatch):
    def missing(name):
        raise RuntimeError(name)

    monkeypatch.setattr(_tools, 'find', missing)
    assert net._repr_html_().startswith('<b>')


def test_notebooks_have_a_table_of_a_tensor():
    text = K.variable(np.zeros((2, 5)), name='<w>')._repr_html_()
    assert '>variable<' in text and '>(2, 5)<' in text and '&lt;w&gt;' in text
    assert '>placeholder<' in K.placeholder((2,))._repr_html_()


def test_print(net):
    assert str(net).split('\n')[:2] == ['function net<1>', '  input  x: float32 (None, 4)']
    assert str(K.placeholder((None, 3), name='images')) == (
        "<keratin.Tensor 'images:0' float32 (None, 3)>")


def test_print_is_short():
    x = K.placeholder((1,))
    lines = str(K.function([x], [x + float(i) for i in range(100)])).split('\n')
    assert len(lines) == 25 and lines[-1] == '  ... and 78 more'


def test_reports(net):
    assert 'arena' in net.memory_plan and net.kernel_count > 0
    assert net.compile_report


def test_a_tool_that_dies_silently_is_named(tmp_path, monkeypatch):
    tool = tmp_path / 'keratin-dump'
    tool.write_text('#!/bin/sh\nexit 7\n')
    tool.chmod(0o755)
    monkeypatch.setattr(_tools, 'find', lambda name: str(tool))
    with pytest.raises(RuntimeError, match='show: keratin-dump ended with 7'):
        _tools.run('keratin-dump', ['net.ktg'], 'show')
