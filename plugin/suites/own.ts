import { ownSuite } from '../model/index.ts'
import type { Suite } from './suite.ts'

/** What is part of no other suite: the specs that somebody writes for operators of their own. */
export const ownSpecs = {
  name: ownSuite,
  title: 'own specs',
  columns: { group: 'suite' },
} satisfies Suite
