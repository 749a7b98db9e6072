import { describe, expect, test, vi } from 'vitest'
import { modelOf, takeKey } from './generate-model.ts'
import { generateOptionsOf } from './generate-options.ts'

const needed = ['--model', 'coder', '--tasks', 'AddCustom', '--name', 'run']
const ignore = (): void => {}

test('lists of tasks may be repeated; what is not said has its default', () => {
  expect(generateOptionsOf([...needed, '--tasks', 'RmsNorm, level1/**'])).toMatchObject({
    tasks: ['AddCustom', 'RmsNorm', 'level1/**'],
    samples: 1,
    turns: 1,
    strategy: 'repair',
    judges: true,
    prices: undefined,
  })
  const log = vi.spyOn(console, 'log').mockReturnValue()
  expect(generateOptionsOf(['--help'])).toBeUndefined()
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
})

test.each([
  [['--model', 'm', '--name', 'r'], /give --tasks/],
  [[...needed, 'A'], /takes no names: A; see/],
  [[...needed, '--all'], /generate: Unknown option '--all'; see/],
  [['--tasks', 'A', '--name', 'r'], /give --model/],
  [['--model', '...', '--tasks', 'A'], /--name \.\.\.: give the run a name/],
  [[...needed, '--name', '../up'], /--name \.\.\/up: give the run a name/],
  [[...needed, '--samples', '0'], /--samples 0: is not a whole number, 1 or more$/],
  [[...needed, '--strategy', 'repairs'], /--strategy repairs: is not .*did you mean repair\?/],
  [[...needed, '--max-money', '3'], /--max-money takes --price-in and --price-out as well$/],
  [[...needed, '--price-in', '3'], /give both --price-in and --price-out$/],
  [[...needed, '--top-p', '2'], /--top-p 2: is not above 0, 1 at most$/],
  [[...needed, '--answer-timeout', '3000000'], /--answer-timeout 3000000: is not a number above 0, 2000000 at most$/],
  [[...needed, '--out', 'a,b'], /--out a,b: folders of candidates have no comma$/],
])('%j is one line', (args, message) => {
  expect(() => generateOptionsOf(args)).toThrow(message)
})

test.each([
  ['Qwen/Qwen3-Coder:free', 'Qwen3-Coder-free'],
  ['recorded:fixtures/transcripts', 'transcripts'],
  ['files:chat/', 'chat'],
])('a run without a name is called like its model: %s', (model, name) => {
  expect(generateOptionsOf(['--model', model, '--tasks', 'A'])?.name).toBe(name)
})

test('a key that is given as an argument is not repeated', () => {
  expect(() => generateOptionsOf([...needed, '--api-key=sk-canary'])).toThrow(/^(?!.*canary).*--api-key/s)
})

const asked = async (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  await modelOf('generate', generateOptionsOf([...needed, ...args])!, environment, ignore)

describe('a model', () => {
  test('of a server has an address without a key in it', async () => {
    await expect(asked([])).rejects.toThrow(/give --base-url or set NPU_BASE_URL/)
    await expect(asked(['--base-url', 'localhost:8000'])).rejects.toThrow(/--base-url is no address/)
    const secret = asked(['--base-url', 'http://me:sk-canary@localhost/v1'])
    await expect(secret).rejects.toThrow(/^(?!.*canary)--base-url: keys belong in NPU_API_KEY/)
    const { label } = await asked([], { NPU_BASE_URL: 'http://localhost:8000/v1/' })
    expect(label).toBe('coder')
  })

  test('is called in the ledger what NPU_MODEL says', async () => {
    expect((await asked(['--model', 'files:prompts'], { NPU_MODEL: 'somebody' })).label).toBe('somebody')
    await expect(asked(['--model', 'files:'])).rejects.toThrow(/name a folder behind the colon$/)
    await expect(asked(['--model', 'recorded:/nowhere'])).rejects.toThrow(/there is no transcript\.jsonl/)
  })

  test('has the key for itself: no process that is started later finds it', () => {
    const environment = { NPU_API_KEY: 'one', OPENAI_API_KEY: 'two', PATH: '/bin' }
    expect(takeKey(environment)).toBe('one')
    expect(environment).toEqual({ PATH: '/bin' })
    expect(takeKey({ NPU_API_KEY: '', OPENAI_API_KEY: ' two\n' })).toBe('two')
    expect(takeKey({ NPU_API_KEY: ' \n', OPENAI_API_KEY: 'two' })).toBe('two')
    expect(takeKey({})).toBeUndefined()
  })

  test.each(['sk-canary…', 'sk-canary\nsk-other', 'sk canary'])(
    'has no key that no header can hold: %j',
    async (key) => {
      const environment = { NPU_API_KEY: key, NPU_BASE_URL: 'http://localhost:8000/v1' }
      await expect(asked([], environment)).rejects.toThrow(
        /^(?!.*canary).*NPU_API_KEY .*no header can hold: copy it again$/,
      )
    },
  )
})
