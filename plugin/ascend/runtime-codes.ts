import type { FailedLaunch, Report } from '../model/index.ts'

type Unfinished = FailedLaunch['verdict']

/** What a code means for the candidate. */
type Meaning =
  /** the kernel did what a core does not do */
  | 'exception'
  /** the kernel did not come to its end */
  | 'timeout'
  /** the host part declined, or has an error */
  | 'tiling'
  /** what was built does not fit what is asked of it */
  | 'package'
  /** the machine, the driver or this program is at fault */
  | 'infrastructure'

export interface RuntimeCode {
  readonly name: string
  readonly means: Meaning
  /** what has happened, and what to look for: a clause */
  readonly explanation: string
  /** the device keeps nothing that is of use: it is reset before the next launch */
  readonly resets: boolean
}

const fault = (name: string, explanation: string): RuntimeCode => ({
  name,
  means: 'exception',
  explanation,
  resets: true,
})
const late = (name: string, explanation: string): RuntimeCode => ({ name, means: 'timeout', explanation, resets: true })
const ours = (name: string, explanation: string, resets = false): RuntimeCode => ({
  name,
  means: 'infrastructure',
  explanation,
  resets,
})

const cores = {
  cube: 'a cube core',
  vector: 'a vector core',
} as const
const exceptionOf = (core: string): string =>
  `${core} raised an exception: usually an address outside of its memory or of global memory, or an instruction with wrong alignment or parameters`
const timeoutOf = (core: string): string =>
  `${core} did not come to its end: usually a flag that nobody sets, a queue that stays empty, a barrier that not all cores reach, or a loop without end`
const trapOf = (core: string): string =>
  `${core} ran into a trap: an assertion of the kernel, or an illegal instruction`
const overflowOf = (core: string, access: 'read' | 'wrote'): string => `${core} ${access} outside of memory`

/** Codes of the runtime and of aclnn calls that a launch may come to, as their headers define them. */
export const runtimeCodes: Readonly<Record<number, RuntimeCode>> = {
  107001: ours('ACL_ERROR_RT_INVALID_DEVICEID', 'there is no device of that number'),
  107022: ours('ACL_ERROR_RT_DEVICE_TASK_ABORT', 'another task was aborted on the device', true),
  107023: ours('ACL_ERROR_RT_STREAM_ABORT', 'the stream was aborted', true),
  107020: late('ACL_ERROR_RT_TASK_TIMEOUT', 'the task did not come to its end'),
  207001: ours('ACL_ERROR_RT_MEMORY_ALLOCATION', 'the device has not enough memory for the case'),
  207004: ours('ACL_ERROR_RT_NO_DEVICE', 'the driver sees no device'),
  207018: ours('ACL_ERROR_RT_DEVICE_OOM', 'the device has not enough memory for the case'),
  507000: ours('ACL_ERROR_RT_INTERNAL_ERROR', 'the runtime has an error of its own', true),
  507001: ours('ACL_ERROR_RT_TS_ERROR', 'the scheduler of the device has an error of its own', true),
  507008: ours('ACL_ERROR_RT_SOC_VERSION', 'the runtime does not know the device'),
  507010: ours('ACL_ERROR_RT_LOST_HEARTBEAT', 'the scheduler of the device does not answer', true),
  507011: fault('ACL_ERROR_RT_MODEL_EXECUTE', 'the task failed on the device'),
  507012: ours('ACL_ERROR_RT_REPORT_TIMEOUT', 'the device did not report to the runtime', true),
  507013: fault('ACL_ERROR_RT_SYS_DMA', 'a copy of the device failed'),
  507014: late('ACL_ERROR_RT_AICORE_TIMEOUT', timeoutOf(cores.cube)),
  507015: fault('ACL_ERROR_RT_AICORE_EXCEPTION', exceptionOf(cores.cube)),
  507016: fault('ACL_ERROR_RT_AICORE_TRAP_EXCEPTION', trapOf(cores.cube)),
  507017: late('ACL_ERROR_RT_AICPU_TIMEOUT', timeoutOf('an AI CPU')),
  507018: fault('ACL_ERROR_RT_AICPU_EXCEPTION', 'an AI CPU raised an exception'),
  507022: ours('ACL_ERROR_RT_IPC_ERROR', 'processes of the runtime do not reach each other', true),
  507027: packaged('ACL_ERROR_RT_KERNEL_LOOKUP', 'the runtime finds no such kernel in the package'),
  507033: ours('ACL_ERROR_RT_DEV_SETUP_ERROR', 'the device could not be set up', true),
  507034: late('ACL_ERROR_RT_VECTOR_CORE_TIMEOUT', timeoutOf(cores.vector)),
  507035: fault('ACL_ERROR_RT_VECTOR_CORE_EXCEPTION', exceptionOf(cores.vector)),
  507036: fault('ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION', trapOf(cores.vector)),
  507042: fault('ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW', overflowOf(cores.cube, 'read')),
  507043: fault('ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW', overflowOf(cores.cube, 'wrote')),
  507044: fault('ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW', overflowOf(cores.vector, 'read')),
  507045: fault('ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW', overflowOf(cores.vector, 'wrote')),
  507046: late('ACL_ERROR_RT_STREAM_SYNC_TIMEOUT', 'the kernel did not come to its end within the limit of a launch'),
  507047: late('ACL_ERROR_RT_EVENT_SYNC_TIMEOUT', 'the kernel did not come to its end within the limit of a launch'),
  507048: late('ACL_ERROR_RT_FFTS_PLUS_TIMEOUT', timeoutOf('a core of a mixed kernel')),
  507049: fault('ACL_ERROR_RT_FFTS_PLUS_EXCEPTION', exceptionOf('a core of a mixed kernel')),
  507050: fault('ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION', trapOf('a core of a mixed kernel')),
  507051: ours('ACL_ERROR_RT_SEND_MSG', 'the runtime cannot send to the device', true),
  507052: ours('ACL_ERROR_RT_COPY_DATA', 'the runtime cannot copy to the device', true),
  507053: ours('ACL_ERROR_RT_DEVICE_MEM_ERROR', 'the memory of the device has an error', true),
  507054: ours('ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR', 'the memory of the device has an error', true),
  507055: ours('ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR', 'the memory of the device may have an error', true),
  507056: ours('ACL_ERROR_RT_LINK_ERROR', 'a link of the device has an error', true),
  507057: ours('ACL_ERROR_RT_SUSPECT_REMOTE_ERROR', 'another device may have an error', true),
  507899: ours('ACL_ERROR_RT_DRV_INTERNAL_ERROR', 'the driver has an error of its own', true),
  507900: ours('ACL_ERROR_RT_AICPU_INTERNAL_ERROR', 'an AI CPU has an error of its own', true),
  507901: ours('ACL_ERROR_RT_SOCKET_CLOSE', 'the connection to the device was lost', true),
  161001: tiling('ACLNN_ERR_PARAM_NULLPTR', 'the operator needs an argument that the task leaves out'),
  161002: tiling(
    'ACLNN_ERR_PARAM_INVALID',
    'op_host registers no combination of these dtypes and formats for this device',
  ),
  361001: ours('ACLNN_ERR_RUNTIME_ERROR', 'the runtime refused a call of the operator library'),
  561000: ours('ACLNN_ERR_INNER', 'the operator library has an error of its own'),
  561001: tiling('ACLNN_ERR_INNER_INFERSHAPE_ERROR', 'the inference of shapes failed'),
  561002: tiling('ACLNN_ERR_INNER_TILING_ERROR', 'the tiling function failed'),
  561003: packaged('ACLNN_ERR_INNER_FIND_KERNEL_ERROR', 'the package has no kernel for these dtypes and this device'),
  561107: packaged('ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND', 'the package was not found'),
  561108: packaged('ACLNN_ERR_INNER_LOAD_JSON_FAILED', 'the description of the kernel cannot be read'),
  561112: packaged('ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND', 'the package has no kernels'),
  561113: packaged('ACLNN_ERR_INNER_OP_FILE_INVALID', 'a file of the package cannot be read'),
}

function tiling(name: string, explanation: string): RuntimeCode {
  return { name, means: 'tiling', explanation, resets: false }
}

function packaged(name: string, explanation: string): RuntimeCode {
  return { name, means: 'package', explanation, resets: false }
}

/** A call of the runtime that failed. */
export interface FailedCall {
  /** e.g. `aclrtSynchronizeStreamWithTimeout` */
  call: string
  code: number
  /** what the runtime says of it, where it says something */
  message?: string | undefined
}

const unknown = (code: number): RuntimeCode => ({
  name: String(code),
  means: code >= 507_000 && code < 508_000 ? 'exception' : 'infrastructure',
  explanation: 'the runtime gives a code that is in no list',
  resets: code >= 507_000,
})

/** What a code means; one that is in no list is a fault of the device where its number says so. */
export const meaningOf = (code: number): RuntimeCode => runtimeCodes[code] ?? unknown(code)

/** One sentence about a failed call: call, code, what it means, and what the runtime says. */
export function describeCall({ call, code, message }: FailedCall): string {
  const { name, explanation } = meaningOf(code)
  const said = message?.trim().split('\n', 1)[0] ?? ''
  return `${call} gave ${code} (${name}): ${explanation}${said === '' ? '' : `; the runtime says: ${said}`}`
}

const reportOf = (failed: FailedCall): Report => ({
  code: `Acl${failed.code}`,
  severity: 'error',
  message: describeCall(failed),
  core: 'device',
  instruction: failed.call,
  count: 1,
})

/** The verdict of a launch that a call of the runtime has ended. `limitMs`: what a launch may take. */
export function verdictOfCall(failed: FailedCall, limitMs: number): Unfinished {
  const { means } = meaningOf(failed.code)
  const byMeaning: Record<Meaning, () => Unfinished> = {
    exception: () => ({ kind: 'device-error', report: reportOf(failed) }),
    timeout: () => ({ kind: 'timeout', limitMs }),
    tiling: () => ({ kind: 'tiling-failed', message: describeCall(failed) }),
    package: () => ({ kind: 'device-error', report: reportOf(failed) }),
    infrastructure: () => ({ kind: 'infrastructure', message: describeCall(failed) }),
  }
  return byMeaning[means]()
}
