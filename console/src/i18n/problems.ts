/** Refusals of the service in the language of the console. */
import type { FieldError, ProblemShape } from '../api/problem.ts'
import { language } from './language.ts'
import { byPattern } from './translate.ts'

/** The texts are loaded with the first refusal; without them it is shown as it came. */
const load = async () =>
  import('./problems.de.ts').catch(() => ({ problems: undefined, faults: [] }))

/**
 * @param shape as the service has sent it, in English
 * @returns the same in English; in German a title that says what to do, and what is known of
 * fields. A text that stays English says so.
 */
export async function translateProblem(shape: ProblemShape): Promise<ProblemShape> {
  if (language === 'en') return shape
  const { problems, faults } = await load()
  const translate = ({ pointer, message }: FieldError): FieldError => {
    const german = byPattern(faults, message)
    return german === undefined ? { pointer, message, lang: 'en' } : { pointer, message: german }
  }
  const { code, title, errors = [] } = shape
  const german = code === 'offline' || code === 'browser' ? undefined : problems?.[code]
  return { ...shape, title: german ?? title, errors: errors.map(translate), lang: 'en' }
}
