import { describe, expect, it } from 'vitest'
import { RandomStream } from '../../inputs/random.ts'
import { NearDuplicates } from './near-duplicates.ts'
import { shinglesOf, similarityOf, tokensOf, wordsOf, type Shingles } from './shingles.ts'

const words = (count: number, random: RandomStream): string[] =>
  Array.from({ length: count }, () => `w${random.below(5000)}`)

/** The words with every so many of them replaced. */
const changed = (text: readonly string[], every: number): string[] =>
  text.map((word, i) => (i % every === every - 1 ? `${word}x` : word))

describe('near-duplicates', () => {
  it('compares few of many that follow one template, and finds the one that is the same', () => {
    const random = new RandomStream(2, 'template')
    const template = words(60, random)
    const added: Shingles[] = []
    const known = new NearDuplicates(0.9)
    let compared = 0
    const find = (shingles: Shingles) => known.findOrAdd(shingles, (index) => (compared++, added[index]!))
    for (let i = 0; i < 500; i++) {
      const shingles = shinglesOf([...template, ...words(6, random)], 5)
      expect(find(shingles)).toBeUndefined()
      added.push(shingles)
    }
    expect(compared).toBeLessThan(500 * 40)
    for (const index of [0, 250]) expect(find(added[index]!)).toEqual({ index, similarity: 1 })
  })

  it('finds a text again that has a word in eighty changed, and none of another text', () => {
    const random = new RandomStream(1, 'near')
    const texts = Array.from({ length: 400 }, () => words(300, random))
    const added: Shingles[] = []
    const known = new NearDuplicates(0.8)
    for (const text of texts) {
      const shingles = shinglesOf(text, 5)
      expect(known.findOrAdd(shingles, (index) => added[index]!)).toBeUndefined()
      added.push(shingles)
    }
    for (const [index, text] of texts.entries()) {
      const copy = shinglesOf(changed(text, 80), 5)
      expect(known.findOrAdd(copy, (each) => added[each]!)?.index).toBe(index)
    }
    expect(known.size).toBe(400)
  })

  it('leaves what is similar and not similar enough', () => {
    const random = new RandomStream(2, 'near')
    const text = words(400, random)
    const [first, second] = [shinglesOf(text, 5), shinglesOf(changed(text, 15), 5)]
    expect(similarityOf(first, second)).toBeLessThan(0.6)
    const known = new NearDuplicates(0.85)
    known.findOrAdd(first, () => first)
    expect(known.findOrAdd(second, () => first)).toBeUndefined()
  })

  it('leaves what is a little less similar than asked', () => {
    const text = words(200, new RandomStream(3, 'near'))
    const [first, second] = [shinglesOf(text, 5), shinglesOf([...text, 'more'], 5)]
    const known = new NearDuplicates(0.996)
    known.findOrAdd(first, () => first)
    expect(known.findOrAdd(second, () => first)).toBeUndefined()
  })

  it('finds what lies behind many that are alike', () => {
    const text = words(200, new RandomStream(4, 'near'))
    const all = ['', ...Array.from({ length: 30 }, (_, i) => `more${i}`)].map((more) => shinglesOf([...text, more], 5))
    const known = new NearDuplicates(1)
    for (const each of all) known.findOrAdd(each, (index) => all[index]!)
    expect(known.size).toBe(31)
    for (const [index, each] of all.entries())
      expect(known.findOrAdd(each, (other) => all[other]!)).toEqual({ index, similarity: 1 })
  })

  it('says how similar they are by all shingles, not by an estimate', () => {
    const text = words(200, new RandomStream(3, 'near'))
    const [first, second] = [shinglesOf(text, 5), shinglesOf([...text, 'more'], 5)]
    const known = new NearDuplicates(0.9)
    known.findOrAdd(first, () => first)
    expect(known.findOrAdd(second, () => first)?.similarity).toBe(196 / 197)
  })

  it('finds a text of a few words', () => {
    const shingles = shinglesOf(wordsOf('What is a queue?'), 5)
    const known = new NearDuplicates(0.85)
    known.findOrAdd(shingles, () => shingles)
    expect(known.findOrAdd(shinglesOf(wordsOf('what is a QUEUE'), 5), () => shingles)?.index).toBe(0)
  })
})

describe('parts of texts', () => {
  it('takes letters of Chinese one by one', () => {
    expect(wordsOf('GM 与 UB 搬运')).toEqual(['gm', '与', 'ub', '搬', '运'])
  })

  it('leaves comments out of code and keeps literals whole', () => {
    expect(tokensOf('a->b("x // y"); // c\n/* d */ e += 1.5f;')).toEqual(
      'a -> b ( "x // y" ) ; e += 1.5f ;'
        .replace('"x // y"', '§')
        .split(' ')
        .map((each) => each.replace('§', '"x // y"')),
    )
  })
})
