"""Prints a chain of so many tanh, a hundred in a name scope."""

import sys

count = int(sys.argv[1])
print('func.func @f(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4xf32> {keratin.kind = "output"}) {')
for i in range(count):
    operand = f"%{i - 1}" if i else "%x"
    print(f'  %{i} = keratin.tanh {operand} : (tensor<4xf32>) -> tensor<4xf32> loc("layer{i // 100}/"("net.cc":{i + 1}:1))')
print(f"  return %{count - 1} : tensor<4xf32>\n}}")
