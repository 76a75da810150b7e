/** The subjects of the service's settings. */
import { t } from './translations.ts'

interface Group {
  title: string
  /** Names of environment variables. */
  names: RegExp
}

/** Each variable belongs to one of them. */
export const settingGroups: readonly Group[] = [
  {
    title: t('API and processes'),
    names: /^MOORING_(HTTP|OPERATOR|TLS|ORIGIN|TRUSTED_PROXIES|PROCESSES)/,
  },
  { title: t('MQTT and brokers'), names: /^MOORING_(MQTT|EMBEDDED_BROKER|BROKERS)/ },
  {
    title: t('Database and keys'),
    names: /^(DATABASE_URL$|MOORING_(DATA_|DATABASE|MASTER_KEY|NEW_MASTER_KEY))/,
  },
  {
    title: t('Accounts and console'),
    names: /^MOORING_(BOOTSTRAP|CONSOLE|INVITATION|MFA|REGISTRATION|SSO)/,
  },
  { title: t('Mail'), names: /^MOORING_(SMTP|MAIL)/ },
  { title: t('Limits'), names: /^MOORING_(LIMIT|RATE_LIMIT|STREAMS)/ },
  {
    title: t('Domains and certificates'),
    names: /^MOORING_(ACME|DNS|OWN_DOMAINS|PRIVATE_DOMAINS)/,
  },
  { title: t('Webhooks'), names: /^MOORING_WEBHOOK/ },
  { title: t('Audit log and events'), names: /^MOORING_(AUDIT|EVENTS)/ },
  {
    title: t('Plans and payments'),
    names: /^MOORING_(INVOICE|PAYMENT|PLANS|STRIPE|TAX|USAGE)/,
  },
  { title: t('Logs and traces'), names: /^MOORING_(LOG|OTLP|REQUEST_LOG|TRACE)/ },
]
