export type TextMessage = {
  /** With `+` and country code. */
  to: string
  text: string
  /** The one-time code in the text, if any. */
  code: string | null
  /** The DLT template of the text (TRAI); null if the carrier needs none. */
  templateId: string | null
}

/**
 * `failed` is the reason for the log; it must not contain the phone or the text. `mayBeSent`: the
 * carrier may have the message, and did not say whether it accepts it.
 */
export type SmsOutcome = 'sent' | { failed: string; mayBeSent?: true }

/** Sends text messages. Does not throw for failures of the carrier or the network. */
export type SmsSender = { send(message: TextMessage): Promise<SmsOutcome> }
