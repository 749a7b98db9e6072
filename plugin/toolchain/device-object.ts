import { groupedBy } from '../model/index.ts'
import { identifierOf, isOfEmulator } from './mangled.ts'
import type { ObjectFile, ObjectSymbol, Section } from './object-file.ts'

/** Something in an object that no kernel of the device needs. */
export interface HostPart {
  message: string
  /** a name of the candidate's that says where it comes from */
  name: string
  /** the section that has it, or that asks for it */
  section: Section
}

/** What compilers make on their own account, and the table of kernel types. */
const usualSection =
  /^(?:|\.text(?:[.$\w]*)?|\.(?:data|bss|rodata|tdata|tbss)(?:\.[.$\w]*)?|\.init_array(?:\.\d+)?|\.eh_frame|\.gcc_except_table(?:\.[.$\w]*)?|\.rela?\..*|\.group|\.(?:sym|str|shstr)tab(?:_shndx)?|\.comment|\.note\.[.\w-]*|\.debug_\w+|\.llvm_addrsig)$/

const usualName = /^[\w.$]*$/

/**
 * Functions have no dots in their names but those that initialise. Of the unit's own none is named like those that compilers
 * add: clang has such report nothing.
 */
const usualFunction = { local: /^(?!_(?!Z))[\w$]+$/, global: /^[\w$]+$/ }

/** The compiler's own names, and those of the emulator: who defines one takes the place of what everything else calls. */
const reserved = /^(?:_(?!Z|GLOBAL__)|npu_emu|mem(?:cpy|move|set|cmp)$)/

/** What the toolchain appends to a kernel. */
const entryNames = /^npu_emu_(?:entry|task_type|abi|arity|idle|kernel_\w+|tpl_\w+|input_types|output_types)$/

/** Compilers initialise variables in functions of these names. */
const initialiser =
  /^(?:_GLOBAL__sub_I_|_sub_I_00099_0$|__cxx_global_var_init|_Z\d+__static_initialization_and_destruction_\d)/

/** What compilers have kernels report by (`reportingFlags`), and what g++ lets that begin with. */
const reports = /^__(?:a|t)san_\w+$|^__sanitizer_cov_trace_pc$/

/** Where clang leaves bitcode. */
const sectionOfClang = /^\.llvm(?:bc|cmd)$/

function sectionParts({ sections }: ObjectFile, isClang: boolean): HostPart[] {
  return sections.flatMap((section): HostPart[] => {
    const { name, isCode, isWritable } = section
    const isUsual = usualSection.test(name) || (isClang && sectionOfClang.test(name))
    if (isUsual && (!isCode || (name.startsWith('.text') && !isWritable))) return []
    return [{ message: `a section of its own (${shown(name)}) is nothing that a kernel can have`, name, section }]
  })
}

/** A name that somebody made up, for a message. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 60)).slice(1, -1)

function definitions({ symbols }: ObjectFile, isOwn: (symbol: ObjectSymbol) => boolean, exports: ReadonlySet<string>) {
  return symbols.flatMap((symbol): HostPart[] => {
    const { name, kind, binding, section } = symbol
    if (section === null || kind === 'section') return []
    const isUsual =
      kind !== 'function' ||
      initialiser.test(name) ||
      usualFunction[binding === 'local' ? 'local' : 'global'].test(name)
    if (!usualName.test(name) || !isUsual)
      return [{ message: `${shown(name)} is no name that C++ gives`, name, section }]
    if (kind === 'indirect function' || binding === 'other')
      return [
        {
          message: `${shown(name)} is chosen while the kernel is loaded, which the device does not do`,
          name: identifierOf(name),
          section,
        },
      ]
    if (binding === 'local' || entryNames.test(name)) return []
    // what the C++ library leaves in every program is in the runtime as well
    const replaces = reserved.test(name) || (exports.has(name) && (binding === 'global' || isOwn(symbol)))
    if (!replaces && !(isOfEmulator(name) && isOwn(symbol))) return []
    return [
      {
        message: `'${identifierOf(name)}' is a name of the compiler or the emulator: choose another`,
        name: identifierOf(name),
        section,
      },
    ]
  })
}

/** Sections that the linker fills in from `from`, with those that these lead to. */
function reachedFrom(
  object: ObjectFile,
  from: Iterable<Section>,
): { sections: Set<Section>; unknown: Map<string, Section> } {
  const sections = new Set(from)
  const unknown = new Map<string, Section>()
  for (const section of sections) {
    for (const { symbol } of object.relocations.get(section.index) ?? []) {
      if (symbol.section) sections.add(symbol.section)
      else if (symbol.name !== '' && !unknown.has(symbol.name)) unknown.set(symbol.name, section)
    }
  }
  return { sections, unknown }
}

/** Functions that run while the kernel is loaded: only those may that compilers write for variables, and they call nothing. */
function initialisation(object: ObjectFile): HostPart[] {
  const functions = groupedBy(
    object.symbols.filter(({ kind }) => kind === 'function'),
    ({ section }) => section,
  )
  const roots = object.sections.filter(({ name }) => name.startsWith('.init_array'))
  const entries = new Set(
    roots.flatMap(({ index }) => object.relocations.get(index) ?? []).map(({ symbol }) => symbol.section),
  )
  const { sections, unknown } = reachedFrom(object, roots)
  const called = [...sections].flatMap((section): HostPart[] => {
    const other = functions.get(section)?.find(({ name }) => !initialiser.test(name))
    // KERNEL_TASK_TYPE outside of every function has one that does nothing
    const doesNothing = !object.relocations.has(section.index) && !entries.has(section)
    return other && !doesNothing ? [part(identifierOf(other.name), section)] : []
  })
  const others = [...unknown].filter(([name]) => !reports.test(name))
  return [...called, ...others.map(([name, section]) => part(identifierOf(name), section))]
}

const part = (name: string, section: Section): HostPart => ({
  message: `'${shown(name)}' would run while the kernel is loaded, which the device does not do: make the variable constexpr`,
  name,
  section,
})

/** What is known of an object beside its content. */
interface Known {
  /** true for what the candidate has written */
  isOwn: (symbol: ObjectSymbol) => boolean
  isClang: boolean
  /** names that the runtime defines */
  exports: ReadonlySet<string>
}

/**
 * What of an object only a host has, by what is allowed: sections, names that are defined, and what runs before the kernel. The
 * rest of the rules of the language asks where functions are called (`device-language.ts`).
 */
export function hostParts(object: ObjectFile, { isOwn, isClang, exports }: Known): HostPart[] {
  return [...sectionParts(object, isClang), ...definitions(object, isOwn, exports), ...initialisation(object)]
}

/** Names of other libraries that code of the device comes to, with the sections that ask for them. */
export function reachedNames(object: ObjectFile, from: readonly Section[]): ReadonlyMap<string, Section> {
  return reachedFrom(object, from).unknown
}
