import { npuKernels } from 'vitest-npu/plugin'

export default { plugins: [npuKernels({ fuzzRuns: 10 })] }
