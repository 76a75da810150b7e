/** What is asked of whatever carries mail. */

export interface Mail {
  /** Stays the same when a mail is sent again, so that receivers can tell. */
  id: string
  /** One plain address. */
  to: string
  /** One line. */
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves when the next server has taken the mail over; rejects when it has not. */
  send(mail: Mail): Promise<void>
}
