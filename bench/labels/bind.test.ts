import { describe, expect, test } from 'vitest'
import { readBind } from './bind.ts'
import { callOf, declaredAttributes } from './call.ts'
import type { TaskInterface } from '../../plugin/model/index.ts'

const model = (call: string): string => `class ModelNew:\n    def forward(self, *inputs):\n        return fn(${call})\n`

const bound = (parameters: string, body: string, declared = ''): string =>
  `at::Tensor f(${parameters}) {\n${body}\n}\nPYBIND11_MODULE(E, m) { m.def("f", &f${declared}); }`

const tensor = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float32' as const] })

const task = (attrs: TaskInterface['attrs'] = []): TaskInterface => ({
  name: 'F',
  kernel: 'f',
  suite: 'own',
  group: null,
  category: 'Test',
  inputs: [tensor('x')],
  outputs: [tensor('y')],
  attrs,
})

const float = (name: string) => ({ name, type: 'float' as const, required: true })
const int = (name: string) => ({ name, type: 'int' as const, required: true })

const outputOf = (body: string) => readBind(bound('const at::Tensor& x', body), model('*inputs'), 1)?.outputs[0]

const callWith = (parameters: string, body: string, attrs: TaskInterface['attrs'], known = {}) =>
  callOf(readBind(bound(`const at::Tensor& x${parameters}`, body), model('*inputs'), 1)!, task(attrs), known)
const passing = (names: string) => `at::Tensor r = at::empty_like(x); EXEC_NPU_CMD(aclnnF, x, ${names}, r);`

describe('what an extension allocates', () => {
  test('the shape of an input', () => {
    expect(outputOf('at::Tensor r = at::empty_like(x); EXEC_NPU_CMD(aclnnF, x, r);')?.shape).toEqual({ like: 0 })
  })

  test('extents that it names, and a dtype of its own', () => {
    const body =
      'auto n = x.size(1); at::Tensor r = at::empty({n, 4}, x.options().dtype(at::kLong)); EXEC_NPU_CMD(aclnnF, x, r);'
    expect(outputOf(body)).toEqual({ shape: { shape: [{ input: 0, axis: 1 }, 4] }, dtype: 'int64' })
  })

  test('no extents: a number', () => {
    expect(outputOf('at::Tensor r = at::empty({}, x.options()); EXEC_NPU_CMD(aclnnF, x, r);')?.shape).toEqual({
      shape: [],
    })
  })

  test('extents that it computes are not read', () => {
    expect(outputOf('at::Tensor r = at::empty({x.size(0) / 2}); EXEC_NPU_CMD(aclnnF, x, r);')?.shape).toBe('computed')
  })

  test('nothing', () => {
    expect(outputOf('at::Tensor r; EXEC_NPU_CMD(aclnnF, x, r);')?.shape).toBe('never')
  })

  test('a comment allocates nothing', () => {
    const body = '// at::Tensor r = at::empty_like(x);\nat::Tensor r; EXEC_NPU_CMD(aclnnF, x, r);'
    expect(outputOf(body)?.shape).toBe('never')
  })
})

describe('a model can call an extension', () => {
  const body = 'at::Tensor r = at::empty_like(x); EXEC_NPU_CMD(aclnnF, x, beta, r);'

  test('that has a default for what it does not pass', () => {
    const declared = ', py::arg("x"), py::arg("beta") = 1.5'
    const bind = readBind(bound('const at::Tensor& x, double beta = 1.5', body, declared), model('*inputs'), 1)
    expect(bind).toMatchObject({
      callable: true,
      passed: [{ input: 0 }, { type: 'double', value: 1.5 }, { output: 0 }],
    })
  })

  test('but not where only the C++ function has one', () => {
    expect(readBind(bound('const at::Tensor& x, double beta = 1.5', body), model('*inputs'), 1)?.callable).toBe(false)
  })

  test('nor with more arguments than it has', () => {
    expect(readBind(bound('const at::Tensor& x', body), model('inputs[0], self.dim'), 1)?.callable).toBe(false)
  })
})

describe('what reaches an operator', () => {
  test('values that the model passes, by name', () => {
    expect(callWith(', int64_t dim', passing('dim'), [int('dim')], { dim: 1 })).toEqual({ inputs: [0], attrs: [1] })
    expect(callWith(', int64_t dim', passing('dim'), [int('dim')])).toEqual({ unknown: 'dim' })
  })

  test('a double, whole', () => {
    expect(callWith('', `double beta = 2.5; ${passing('beta')}`, [float('beta')])).toMatchObject({ attrs: [2.5] })
  })

  test('a float as next to nothing: who reads it takes it for a double', () => {
    const call = callWith('', `float beta = 1.0f; ${passing('beta')}`, [float('beta')])
    expect('attrs' in call && Math.fround(Number(call.attrs[0]))).toBe(0)
    expect('attrs' in call && Number(call.attrs[0])).toBeGreaterThan(0)
  })

  test('floating numbers too many do no harm, whole numbers do', () => {
    expect(callWith(', double beta', passing('beta'), [], { beta: 1 })).toEqual({ inputs: [0], attrs: [] })
    expect(callWith(', int64_t dim', passing('dim'), [], { dim: 1 })).toHaveProperty('fault')
  })

  test('an attribute that is never passed keeps the call from working', () => {
    expect(callWith('', 'at::Tensor r = at::empty_like(x); EXEC_NPU_CMD(aclnnF, x, r);', [float('beta')])).toEqual({
      fault: 'call: nothing is passed for beta',
    })
  })
})

test('attributes are those that the OpDef declares', () => {
  const host = 'this->Attr("dim").AttrType(OPTIONAL).Int(-1);\nthis->Attr("beta")\n  .AttrType(REQUIRED).Float();'
  expect(declaredAttributes(host).map(({ name, type }) => [name, type])).toEqual([
    ['dim', 'int'],
    ['beta', 'float'],
  ])
})
