/** The fault of a rule, in words: the service says it in English only. */
import type { MqttRuleFinding } from '../../../../sdk/schema.ts'
import { locale } from '../../i18n/language.ts'
import { t } from './translations.ts'

type Source = MqttRuleFinding['rule']['source']

/** `Rule 3 refuses no message`. */
export function findingTitle({ kind, rule: { position } }: MqttRuleFinding): string {
  const titles = {
    unreachable: t('Rule {position} never decides', { position }),
    shadowed: t('Rule {position} refuses no message', { position }),
    redundant: t('Rule {position} changes nothing', { position }),
  }
  return titles[kind]
}

const listed = new Intl.ListFormat(locale)

/** `rules 1 and 2`; of another list than that of the rule, with its name. */
function named(source: Source, by: MqttRuleFinding['by'], from: Source): string | undefined {
  const own = by.filter((each) => each.source === source)
  if (own.length === 0) return undefined
  const positions = listed.format(own.map(({ position }) => String(position)))
  const isOne = own.length === 1
  if (source === from) {
    return isOne ? t('rule {positions}', { positions }) : t('rules {positions}', { positions })
  }
  if (source === 'default') {
    return isOne
      ? t('default rule {positions}', { positions })
      : t('default rules {positions}', { positions })
  }
  return isOne
    ? t('rule {positions} of the template', { positions })
    : t('rules {positions} of the template', { positions })
}

export function findingText({ kind, rule, actions, by }: MqttRuleFinding): string {
  if (by.length === 0) return t('It denies topics that no later rule allows.')
  const sources: readonly Source[] = ['device', 'principal', 'template', 'default']
  const names = sources.flatMap((each) => named(each, by, rule.source) ?? [])
  const rules = listed.format(names)
  const texts = {
    unreachable: t('All that it matches is decided before, by {rules}.', { rules }),
    shadowed: t('All of its topics are decided before, by {rules}.', { rules }),
    redundant: t('Without it, {rules} would decide the same.', { rules }),
  }
  if (kind !== 'unreachable' || actions.length !== 1) return texts[kind]
  return actions[0] === 'publish'
    ? t('For publishing, all that it matches is decided before, by {rules}.', { rules })
    : t('For subscribing, all that it matches is decided before, by {rules}.', { rules })
}
