/** The texts about the audit log of a workspace, and of the installation. */
import { t } from './translations.ts'

export const aboutLog = t('Every action and its actor, kept as evidence.')

export const aboutChain = t(
  'Each entry contains the hash of the one before: none can be changed, removed or inserted unnoticed. Entries of one moment may have their numbers in another order.',
)
