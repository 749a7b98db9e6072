import { kernelSuite, tensor, uniform, within } from 'vitest-npu'
import { combined, layerNormGrad } from '../../../references/golden/norm-gradient.ts'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { sumOf } from '../../../references/golden/norm.ts'
import { content, forward, gradientBound, trailing, trailings, unitLimitsOf } from './family.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const
// Times the largest rstd, 316, results still fit into float16.
const upstream = within(-4, 4, uniform(0, 1))
const epsilon = () => 1e-5

const row = (shape: number[], type: string, dsum: 'present' | null, axes = 1) => ({
  ...trailing(shape, axes),
  dtype: type,
  ...(dsum === null && { dsum }),
})

kernelSuite('AddLayerNormGrad', {
  category: 'Norm',
  kernel: 'add_layer_norm_grad',
  description:
    'Gradient of a layer normalisation of x = x1 + x2 over its last axes (those of gamma), with mean and rstd given by row of D elements: c = x - mean, g = dy * gamma, p = rstd^2 * mean(g * c), dx = rstd * (g - p * c - mean(g) + p * mean(c)), plus dsum where it is present. dgamma = sum over rows of dy * c * rstd, dbeta = sum over rows of dy.',
  inputs: {
    dy: tensor({ dtype, shape: ['...shape'], draw: upstream }),
    x1: tensor({ dtype, shape: ['...shape'], draw: content }),
    x2: tensor.like('x1'),
    rstd: tensor({ dtype: 'float32', shape: ['...reduced'], draw: forward('rstd', ['x1', 'x2'], { epsilon }) }),
    mean: tensor({ dtype: 'float32', shape: ['...reduced'], draw: forward('mean', ['x1', 'x2'], { epsilon }) }),
    gamma: tensor({ dtype, shape: ['...normalised'], draw: upstream }),
    dsum: tensor({ dtype, shape: ['...shape'], draw: upstream, optional: true }),
  },
  outputs: {
    dx: tensor.like('dy'),
    dgamma: tensor({ dtype: 'float32', shape: ['...normalised'] }),
    dbeta: tensor({ dtype: 'float32', shape: ['...normalised'] }),
  },
  golden({ x1, x2, dsum, ...given }) {
    const x = sumOf(x1, x2)
    const { dx, dgamma, dbeta } = layerNormGrad(x, given, rowsOf(x.length, given.gamma.data.length), 'corrected')
    return { dx: dsum ? combined(1, dx, dsum) : dx, dgamma, dbeta }
  },
  domain: trailings({ outer: 1, flag: 'dsum' }),
  strict: gradientBound,
  benchmark: { tolerance: unitLimitsOf('dy'), note: 'accepts NaN everywhere' },
  cases: [
    row([128, 256], 'float16', null),
    row([256, 384], 'float16', 'present'),
    row([64, 128], 'bfloat16', null),
    row([512, 128], 'bfloat16', 'present'),
    row([128, 384], 'float32', null),
    row([1, 2, 8], 'float32', 'present'),
    row([4096, 2048], 'float16', null),
    row([8, 1024, 512], 'float32', 'present'),
    row([32, 64, 128], 'float16', null),
    row([64, 64], 'float32', 'present'),
    row([2, 3, 4, 5], 'float32', null, 2),
    row([2, 3, 4, 5, 6], 'float16', 'present', 2),
    row([2, 3, 4], 'float32', null),
    row([2, 3, 4, 5], 'float32', 'present'),
    row([8, 64], 'bfloat16', 'present'),
  ],
})
