/**
 * Words that a reader would have to learn from this project, each with the term of the field. Prose
 * is checked for them: documents, decision records, the API reference, comments and names of tests.
 */
export interface BannedWord {
  pattern: RegExp
  use: string
}

export const bannedWords: readonly BannedWord[] = [
  { pattern: /\bcan not\b/gi, use: 'cannot' },
  { pattern: /\banew\b/gi, use: 'again' },
  { pattern: /\bwhoever\b/gi, use: 'anyone who, or name the subject' },
  { pattern: /\bstrangers?\b/gi, use: 'unauthenticated caller' },
  { pattern: /\bbeside\b/gi, use: 'next to, in addition to, compared with' },
  { pattern: /\bsecond walls?\b/gi, use: 'tenant isolation by row-level security' },
  { pattern: /\bmint(s|ed|ing)?\b/gi, use: 'issue, generate' },
  { pattern: /\b(mis|re)?spel(t|ls|led|lings?)\b/gi, use: 'encode, form' },
  {
    pattern: /\b(un)?seal(s|ed|ing)?\b/gi,
    use: 'encrypt, decrypt; audit log: append to the chain',
  },
  { pattern: /\bhorizons?\b/gi, use: 'high-water mark' },
  { pattern: /\bpatience\b/gi, use: 'timeout' },
  { pattern: /\bjudge[sd]?\b/gi, use: 'evaluate' },
  { pattern: /\bfarewells?\b/gi, use: 'DISCONNECT packet, drain' },
  { pattern: /\b(theatre|seedbed|herd|storm)s?\b/gi, use: 'environment, seeder, reconnect load' },
  {
    pattern: /\b(keeper|watchman|losers?)\b/gi,
    use: 'password sync, timer, devices losing access',
  },
  { pattern: /\bdoorways?\b/gi, use: 'limiter of pending connections' },
  { pattern: /\bis good (for|once|until)\b/gi, use: 'is valid' },
  { pattern: /\bfor good\b/gi, use: 'permanently' },
  { pattern: /\bby hand\b/gi, use: 'manually' },
  { pattern: /\btold\b/gi, use: 'notified, reported, received, by default' },
  { pattern: /\btells of\b/gi, use: 'notifies about, reports' },
  { pattern: /\b(the|an|first|stored|lost|same|its|whose) answers?\b/gi, use: 'response' },
  { pattern: /\banswer(s|ing)? the API\b/gi, use: 'serve the API' },
  { pattern: /\b(go|goes|went) on\b/gi, use: 'continue' },
  { pattern: /\b(is|are|was|were|be) cut\b(?! off)/gi, use: 'is disconnected' },
  { pattern: /\b(a|the|each|every) revoke\b|\b(all|of|these) revokes\b/gi, use: 'revocation' },
  { pattern: /\bforgotten\b/gi, use: 'deleted; evicted from a cache' },
  { pattern: /\bunder way\b/gi, use: 'in progress, in flight' },
  { pattern: /\bput(s|ting)? ([^.,;:]{1,20} )?off\b/gi, use: 'postpone' },
  { pattern: /\blinger(s|ed|ing)?\b/gi, use: 'stay' },
  { pattern: /(?:^|[.;:] )(?:Who|Whom) [^.?]*\./g, use: 'a noun as the subject' },
  {
    pattern: /\b(by|of|to|from|for|lets?|gives?|refuses|answers|cuts) who\b/gi,
    use: 'a noun after the preposition',
  },
  { pattern: /\bthat is how what\b/gi, use: 'a sentence with a noun as the subject' },
  { pattern: /\bexempt is\b/gi, use: 'these … are exempt' },
  { pattern: /\b(has|have|had) no longer\b/gi, use: 'no longer has, or the event that removed it' },
  { pattern: /\bof which [^.,;:]{1,20} none\b/gi, use: 'a second sentence about none' },
  { pattern: /\bthinks? about\b/gi, use: 'decide, evaluate' },
  { pattern: /\blooks? after\b/gi, use: 'handle' },
  { pattern: /\bit is looked for\b/gi, use: 'check for' },
  { pattern: /\blets? go of\b/gi, use: 'release, close' },
  { pattern: /\bends well\b/gi, use: 'reports success' },
  { pattern: /\bmakes? up its own\b/gi, use: 'generates its own' },
  { pattern: /\b(am|are|is|was|were) owed\b/gi, use: 'the event that follows' },
  { pattern: /\b(for|with) what (it|they) (are|is) at\b/gi, use: 'the name of the phase' },
]

/** In comments and decision records: other texts may begin with such a word. */
export const bannedInComments: readonly BannedWord[] = [
  { pattern: /(?:^ ?|[.;:] )(?:What|Those|Whoever|Whose) [^.?]*/g, use: 'a noun as the subject' },
  {
    pattern: /(?:^ ?|[.;:] )(?:By|Of|To|Under|With) (?:what|which) [^.?]*/g,
    use: 'a noun as the subject',
  },
  { pattern: /^ ?Of [^.?]*/g, use: 'the noun: "The number of …", "The state of each …"' },
  { pattern: /\bas far as\b/gi, use: 'if, up to, or the condition as a clause' },
]

/**
 * Identifiers and names of files and folders, and their parts, with what to use; `exceptions` are
 * names of the API, of columns and of libraries.
 */
export interface BannedName {
  pattern: RegExp
  use: string
  exceptions?: readonly string[]
}

export const bannedNames: readonly BannedName[] = [
  { pattern: /^(un)?told$|^tell(s|ing)?$/, use: 'notify, received, published' },
  { pattern: /^patien/, use: 'timeout' },
  { pattern: /^mint(ed|s)?$/, use: 'generate, issue' },
  {
    pattern: /^(mis|re)?spel(l|t|led|ling|lings)$/,
    use: 'encode, format, variant',
    exceptions: ['spellCheck'],
  },
  { pattern: /^demand(s|ed)?$/, use: 'require, condition', exceptions: ['onDemand'] },
  { pattern: /^answer/, use: 'response, respond', exceptions: ['answer'] },
  { pattern: /^judged?$/, use: 'evaluate', exceptions: ['judged_from'] },
  { pattern: /^horizon$/, use: 'high-water mark, safe sequence', exceptions: ['usage_horizon'] },
  {
    pattern: /^forg(et|ets|ot|otten)$/,
    use: 'delete, evict',
    exceptions: ['forgetOwner', 'forget_events'],
  },
  { pattern: /^(doorway|wire|farewell|manner|plainly|nowhere)s?$/, use: 'a term of the field' },
  { pattern: /^(keeper|watchman|loser|theatre|seedbed|herd|storm)s?$/, use: 'a term of the field' },
  { pattern: /^(strangers?|whoever|anew)$/, use: 'unknown, outsider, again' },
  {
    pattern: /^(un|re)?seal(s|ed|er|ers|ing)?$/,
    use: 'append (the audit chain), encrypt, decrypt',
    exceptions: [
      'sealed',
      'sealed_key',
      'sealed_private',
      'sealed_secret',
      'sealed_text',
      'sealed_from_seq',
      'sealed_to_seq',
      'unsealed',
    ],
  },
  {
    pattern: /^look(s|ed|ing)?$/,
    use: 'check, read, poll',
    exceptions: [
      'lookAtInvitation',
      'LookAtInvitation',
      'looks',
      'looksLikeApiKey',
      'looksLikeDeviceToken',
      'looksLikePaymentToken',
    ],
  },
  {
    pattern: /^cut(s|ter)?$/,
    use: 'disconnect, end',
    exceptions: [
      'cut',
      'cutConnection',
      'cutConnections',
      'CutConnections',
      'sessions_cut',
      'sessions_cut_at',
    ],
  },
  { pattern: /^(lend|lent|beside|desk|news|ways?)$/, use: 'a term of the field' },
  { pattern: /^(stamp(s|ed)?|standing)$/, use: 'timestamp, acknowledgement, state' },
  { pattern: /^most$/, use: 'max' },
  { pattern: /^opener$|^open_(secrets|root_keys)$/, use: 'decrypt' },
]
