import { byDtype, dim, exact, kernelSuite, normal, randint, tensor, tiedTo, widened, withNonFinite } from 'vitest-npu'
import { lessEqual } from '../../../references/golden/comparison.ts'

const published = randint(-10, 9)
const values = byDtype(widened(published, withNonFinite(normal())), {
  int8: widened(published, randint(-128, 127)),
  int32: widened(published, randint(-(2 ** 31), 2 ** 31 - 1)),
})

kernelSuite('LessEqual', {
  category: 'Comparison',
  kernel: 'less_equal',
  description:
    'Compares two tensors of one shape element by element: y = 1 where x1 <= x2, else 0, as bool. A comparison with NaN is 0.',
  inputs: {
    x1: tensor({ dtype: ['float16', 'float32', 'int8', 'int32'], shape: ['...shape'], draw: values }),
    x2: tensor.like('x1', { draw: widened(values, tiedTo('x1', values)) }),
  },
  outputs: { y: tensor({ dtype: 'bool', shape: ['...shape'] }) },
  golden: ({ x1, x2 }) => ({ y: lessEqual(x1, x2) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'no integer row; floats are whole numbers, so a comparison with an epsilon passes' },
  cases: [
    { x1: [48, 128, 512], dtype: 'float16' },
    { x1: [96, 64, 1024], dtype: 'float16' },
    { x1: [32, 32, 768], dtype: 'float32' },
    { x1: [48, 8192], dtype: 'float32' },
  ],
})
