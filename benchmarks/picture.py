"""Draws docs/speed.svg, the picture of README, from the tables of docs/performance.md: picture.py [--check]

No number stands here, so none can differ from the page. With --check the picture is compared, not written.
"""
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / 'docs'

# Label, the cell of docs/performance.md that has the number, and which of its numbers that is.
DIGITS = ('Digits, 30 epochs, from start to trained', 's', [
    ('Keras 2.3.1 on Keratin', 'digits, 30 epochs, from start to trained, imports too: Keras 2.3.1 on Keratin', 0),
    ('Keras 3 on JAX', 'the same: Keras 3 on JAX', 0),
    ('PyTorch, a loop by hand', 'the same: a PyTorch loop written by hand', 0)])
CALL = ('A call from Python, add of 4', 'us', [
    ('Keratin', 'a call from Python, add of 4, NumPy in and out: Keratin', 0),
    ('PyTorch eager', 'the same: PyTorch eager; JAX', 0),
    ('JAX', 'the same: PyTorch eager; JAX', 1)])
# Label, row and case of the table of a processor, whose ratios they are.
PROCESSOR = 'Emerald Rapids'
RATIOS = ("The fastest library's time over Keratin's", [
    ('elementwise chain, 2^20', 'ew_chain', 'n=2^20'),
    ('softmax, 1024 x 1024', 'softmax', '1024x1024 axis 1'),
    ('product, 512 x 512 x 512', 'gemm', '512x512x512'),
    ('perceptron, step', 'mlp', 'step b128 sgd'),
    ('convolutional net, step', 'cnn_cifar', 'step b32'),
    ('ResNet-20, step', 'resnet20', 'step b64'),
    ('transformer block, step', 'xformer', 'step b8 T128 D512 H8 sgd'),
    ('LSTM, loss and gradients', 'rnn', 'lstm T64 b32 128-256, gradient'),
    ('GRU, forward', 'rnn', 'gru T128 b1 128-512, forward')])
NOTES = ['Left: AMD EPYC (AVX2), two cores, otherwise idle. Keras 3.15 on JAX 0.4.30, PyTorch 2.15, one thread.',
         'Right: Intel Emerald Rapids (AVX-512), one thread, beside JAX 0.10, PyTorch 2.15, ONNX Runtime 1.32 and OpenVINO 2026.4.']

STYLE = '''
  .back { fill: #ffffff; stroke: #d0d7de } .head { fill: #1f2328; font-weight: 600; font-size: 13px }
  .text { fill: #1f2328; font-size: 12px } .note { fill: #59636e; font-size: 11px }
  .ours { fill: #0f766e } .peer { fill: #afb8c1 } .one { stroke: #1f2328; stroke-dasharray: 3 3 }
  text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
  @media (prefers-color-scheme: dark) {
    .back { fill: #161b22; stroke: #3d444d } .head, .text { fill: #e6edf3 } .note { fill: #9198a1 }
    .ours { fill: #2dd4bf } .peer { fill: #656c76 } .one { stroke: #e6edf3 }
  }
'''
ROW, BAR = 22, 14  # pixels


def tables(text):
    """(cells of the head, cells of a row) for each row; an empty first cell is that of the row above."""
    result = []
    for block in re.findall(r'(?:^\|.*\n)+', text, re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip().strip('|').split('|')] for line in block.splitlines()]
        first = ''
        for row in rows:
            first = row[0] = row[0] or first
            result.append((head, row))
    return result


def only(found, what):
    if len(found) != 1:
        sys.exit(f'docs/performance.md: {len(found)} cells for {what}')
    return found[0]


def measured(rows, key, place, unit):
    cell = only([row[1] for _, row in rows if row[0] == key], key)
    return re.findall(rf'([\d.]+) {unit}\b', cell)[place]


def ratio(text, name, case):
    section = only(re.findall(rf'^### .*{PROCESSOR}.*\n(?:(?!#).*\n)+', text, re.MULTILINE), PROCESSOR)
    return only([row[head.index('ratio')].strip('*') for head, row in tables(section) if row[:2] == [name, case]],
                f'{name}, {case}')


class Picture:
    def __init__(self):
        self.lines = []

    def text(self, x, y, kind, words, end=False):
        anchor = ' text-anchor="end"' if end else ''
        words = words.replace('&', '&amp;').replace('<', '&lt;')
        self.lines.append(f'<text class="{kind}" x="{x}" y="{y}"{anchor}>{words}</text>')

    def bars(self, x, y, length, most, title, bars):
        """Bars (label, number as text, what is behind it, kind) from x on, labels before them."""
        self.text(x - 168, y, 'head', title)
        for i, (label, number, unit, kind) in enumerate(bars):
            top = y + 10 + i * ROW
            width = round(length * float(number) / most, 1)
            self.text(x - 8, top + 11, 'text', label, end=True)
            self.lines.append(f'<rect class="{kind}" x="{x}" y="{top}" width="{width}" height="{BAR}" rx="2"/>')
            self.text(round(x + width + 6, 1), top + 11, 'text', number + unit)
        return y + 10 + len(bars) * ROW


def draw(text):
    rows, picture = tables(text), Picture()
    y = 30
    for title, unit, entries in (DIGITS, CALL):
        bars = [(label, measured(rows, key, place, unit), ' ' + unit, 'peer' if i else 'ours')
                for i, (label, key, place) in enumerate(entries)]
        y = 30 + picture.bars(188, y, 135, max(float(bar[1]) for bar in bars), title, bars)
    title, entries = RATIOS
    bars = [(label, ratio(text, name, case), '', 'ours') for label, name, case in entries]
    most = max(float(bar[1]) for bar in bars)
    end = picture.bars(568, 30, 160, most, title, bars)
    one = round(568 + 160 / most, 1)
    picture.lines.append(f'<path class="one" d="M{one} 36V{end - 2}"/>')
    picture.text(one, end + 10, 'note', '1: as fast')
    bottom = max(y - 30, end + 12) + 22
    for i, note in enumerate(NOTES):
        picture.text(20, bottom + 16 * i, 'note', note)
    height = bottom + 16 * len(NOTES)
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" width="780" height="{height}" role="img">',
        '<!-- Written by benchmarks/picture.py from docs/performance.md. -->',
        '<title>Keratin beside other libraries</title>', f'<style>{STYLE}</style>',
        f'<rect class="back" x="0.5" y="0.5" width="779" height="{height - 1}" rx="6"/>', *picture.lines, '</svg>', ''])


def main():
    path, picture = DOCS / 'speed.svg', draw((DOCS / 'performance.md').read_text(encoding='utf-8'))
    if sys.argv[1:] != ['--check']:
        path.write_text(picture, encoding='utf-8')
    elif path.read_text(encoding='utf-8') != picture:
        sys.exit('docs/speed.svg is not what docs/performance.md says: run benchmarks/picture.py')


if __name__ == '__main__':
    main()
