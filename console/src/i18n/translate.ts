/**
 * Texts of the console. Code has the English text; a table next to it has the German one of each,
 * and the compiler refuses a text that is in no table. Only readers of German load the tables.
 */
import { createElement, Fragment, type ReactNode } from 'react'
import { language, locale } from './language.ts'

/** The German text of each English one. `{name}` stands for a value. */
export type Table = Readonly<Record<string, string>>

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Values<Text extends string, Value> = [Names<Text>] extends [never]
  ? []
  : [values: Readonly<Record<Names<Text>, Value>>]

export interface Translator<Text extends string> {
  /** The text in the language of the console. */
  t: <Key extends Text>(text: Key, ...values: Values<Key, string | number>) => string
  /** The same, with elements in it. */
  rich: <Key extends Text>(text: Key, ...values: Values<Key, ReactNode>) => ReactNode
  /** One of two texts, by a number that both may name `{n}`. */
  counted: (n: number, one: Text, other: Text) => string
}

const PLACE = /\{(\w+)\}/g
const numbers = new Intl.NumberFormat(locale)

/** @param tables in the order in which a text is looked up */
export function makeTranslator<Text extends string>(tables: readonly Table[]): Translator<Text> {
  const find = (text: string): string => tables.find((each) => text in each)?.[text] ?? text
  const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
    find(text).replace(PLACE, (whole, name: string) => String(values[name] ?? whole))
  return {
    t: (text, ...[values]) => (values === undefined ? find(text) : fill(text, values)),
    rich: (text, ...[values]) => {
      // Split at places, every second part is a name.
      const parts = find(text).split(PLACE)
      const nodes = parts.map((part, index) =>
        index % 2 === 0 ? part : (values as Readonly<Record<string, ReactNode>>)[part],
      )
      return createElement(Fragment, null, ...nodes)
    },
    counted: (n, one, other) => fill(n === 1 ? one : other, { n: numbers.format(n) }),
  }
}

/**
 * German texts by patterns of sentences that the service writes; `$1` stands for a value of one.
 */
export type Patterns = readonly (readonly [english: RegExp, german: string])[]

/** @returns undefined if no pattern has the sentence */
export function byPattern(patterns: Patterns, sentence: string): string | undefined {
  const [pattern, german] = patterns.find(([each]) => each.test(sentence)) ?? []
  return pattern && german && sentence.replace(pattern, german)
}

/** @returns an empty table for English, which needs none */
export async function loadTable(load: () => Promise<{ german: Table }>): Promise<Table> {
  return language === 'en' ? {} : (await load()).german
}
