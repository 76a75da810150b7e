/** The port to a mail transport. */

export interface Mail {
  /** Stays the same when a mail is sent again, so that duplicates can be recognized. */
  id: string
  /** A single plain address. */
  to: string
  /** One line. */
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves when the next server has accepted the mail; otherwise rejects. */
  send(mail: Mail): Promise<void>
}
