import { npuKernels } from '../vitest/plugin.ts'

/** The Vitest configuration of a folder that has none. The projects of the plugin inherit from a file alone. */
export default { plugins: [npuKernels()] }
