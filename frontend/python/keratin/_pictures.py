"""What functions and tensors look like: pages, texts of stages, notebooks.

Modules that only these need are imported when they are: `import keratin` is quick.
"""
import os

from keratin._native import Function, Tensor
from keratin._native import functions as _functions

# A notebook keeps what it shows, for all cells; what is beyond these is a table there.
_MOST_KERNELS = 200
_MOST_VALUES = 1 << 24
_MOST_BYTES_OF_PAGE = 2 << 20
# Of the text of a function.
_MOST_LINES = 24


class _Saved(object):
    """A function in a temporary folder, for the tools."""

    def __init__(self, function):
        self._function = function

    def __enter__(self):
        import tempfile
        self._folder = tempfile.TemporaryDirectory(prefix='keratin-')
        # The title of pages.
        name = ''.join(c if c.isalnum() or c in '_-' else '_' for c in self._function.name)
        self.path = os.path.join(self._folder.name, name[:60] + '.ktg')
        try:
            _functions.save_functions([self._function], self.path)
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *unused):
        self._folder.cleanup()

    def run(self, tool, arguments):
        from keratin import _tools
        return _tools.run(tool, [self.path] + arguments, self._function.name)

    def profile(self, sizes):
        """The times of kernels in calls with random inputs."""
        path = os.path.join(self._folder.name, 'profile.json')
        self.run('keratin-run', ['--random', '--repeat=5', '--quiet', '--profile=' + path] + sizes)
        return path


def _escaped(text):
    import html
    return html.escape(text)


def _sizes(sizes):
    return ['--size=%s=%d' % size for size in (sizes or {}).items()]


def _page(function, sizes=None, profile=False, target=None, source=None):
    with _Saved(function) as saved:
        arguments = ['--format=html'] + _sizes(sizes)
        if profile:
            arguments.append('--profile=' + saved.profile(_sizes(sizes)))
        if target is not None:
            arguments.append('--target=' + target)
        if source is not None:
            arguments.append('--source=' + os.fspath(source))
        return saved.run('keratin-dump', arguments)


def _show(self, path=None, sizes=None, profile=False, target=None, source=None):
    """Shows a page: the graph at each stage, its kernels with their code, the plan of memory.

    Args:
        path: where to write the page; None: a temporary file, which a browser is told to open.
        sizes: a dict of the unknown sizes by name ({'batch': 128}), for operations, bytes and
            times; those that are not given are what they are at most, else 32.
        profile: True: calls the function a few times with random inputs, on a copy of the
            variables, and shows what each kernel takes.
        target: what it is compiled for, as of keratin-dump: None for this processor, 'cuda', ...
        source: a folder; lines of files in it are quoted.

    Returns:
        The path.

    Raises:
        ValueError: for a size that the function does not have, and a folder without sources.
        RuntimeError: if keratin-dump, and for a profile keratin-run, is not installed.
    """
    page = _page(self, sizes, profile, target, source)
    if path is not None:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(page)
        return path
    import tempfile
    import webbrowser
    with tempfile.NamedTemporaryFile('w', prefix='keratin-', suffix='.html', delete=False,
                                     encoding='utf-8') as file:
        file.write(page)
    webbrowser.open('file://' + file.name)
    return file.name


def _dump(self, stage=None, format='text', sizes=None, around=None, depth=1, target=None):
    """The function at a stage of its compilation, as keratin-dump shows it (docs/tools.md).

    Args:
        stage: 'input', 'graph', 'grad', 'simplified', 'fused', 'plan', 'host', 'kernels', 'llvm',
            'asm', 'ptx', 'sass'; None: 'input', for stats 'plan'.
        format: 'text'; 'dot', for GraphViz; 'json'; 'stats': operations, bytes and memory.
        sizes: a dict of the unknown sizes by name, for numbers.
        around: only ops that match, and those up to `depth` steps away: '%12', 'tanh', 'net.py:57'.
        depth: an int.
        target: None for this processor, 'cuda', 'cuda:sm_90', ...

    Returns:
        A string.

    Raises:
        ValueError: for another stage or format, what no op matches, and a size that is not there.
        RuntimeError: if keratin-dump is not installed.
    """
    arguments = ['--format=' + format] + _sizes(sizes)
    if stage is not None:
        arguments.append('--stage=' + stage)
    if around is not None:
        arguments += ['--around=' + around, '--depth=%d' % depth]
    if target is not None:
        arguments.append('--target=' + target)
    with _Saved(self) as saved:
        return saved.run('keratin-dump', arguments)


def _table(title, rows):
    cells = ''.join('<tr>%s</tr>' % ''.join('<td style="text-align:left">%s</td>'
                                            % _escaped(str(cell)) for cell in row)
                    for row in rows)
    return '<b>%s</b><table>%s</table>' % (_escaped(title), cells)


def _function_table(function):
    rows = [('input', name, tensor.dtype, tensor.shape)
            for name, tensor in zip(function.input_names, function.inputs)]
    rows += [('output', name or tensor.name, tensor.dtype, tensor.shape)
             for name, tensor in zip(function.output_names, function.outputs)]
    rows += [('kernels', function.kernel_count, '', ''),
             ('memory of a call', '%d bytes' % function.arena_bytes, '', ''),
             ('compiled in', '%.0f ms' % function.compile_milliseconds, '', '')]
    hidden = len(rows) - 3 - 40
    if hidden > 0:
        rows[40:-3] = [('...', '%d more' % hidden, '', '')]
    return _table('keratin.Function ' + function.name, rows)


def _product(shape):
    product = 1
    for size in shape:
        product *= size or 1
    return product


def _function_html(self):
    """The page of show() for notebooks, or a table of a large function."""
    table = _function_table(self)
    # Values are saved for the tool, too.
    if (self.kernel_count > _MOST_KERNELS
            or sum(_product(each.shape) for each in self.variables) > _MOST_VALUES):
        return table
    try:
        page = _page(self)
    except (RuntimeError, ValueError):
        # Without the tool there is no page.
        return table
    if len(page) > _MOST_BYTES_OF_PAGE:
        return table
    return ('<iframe srcdoc="%s" sandbox="allow-scripts" loading="lazy" '
            'style="width:100%%;height:36em;border:1px solid #ccc"></iframe>'
            % _escaped(page))


def _function_text(self):
    lines = self._text.split('\n')
    hidden = len(lines) - _MOST_LINES
    if hidden > 1:
        lines[_MOST_LINES:] = ['  ... and %d more' % hidden]
    return '\n'.join(lines)


def _tensor_html(self):
    kind = ('variable' if _functions.is_variable(self) else
            'placeholder' if _functions.is_placeholder(self) else 'tensor')
    return _table('keratin.Tensor ' + self.name,
                  [('kind', kind), ('dtype', self._dtype_name), ('shape', self.shape)])


Function.show = _show
Function.dump = _dump
Function.__repr__ = _function_text
Function._repr_html_ = _function_html
Tensor._repr_html_ = _tensor_html
for _name, _method in (('show', _show), ('dump', _dump)):
    _method.__name__ = _name
    _method.__qualname__ = 'Function.' + _name
