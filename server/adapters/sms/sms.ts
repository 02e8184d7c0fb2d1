export type TextMessage = {
  /** With `+` and country code. */
  to: string
  text: string
  /** The one-time code in the text, where there is one. */
  code: string | null
  /** The DLT template that the text is registered as (TRAI); null where the carrier needs none. */
  templateId: string | null
}

/** `reason` is for our log: it must name neither the phone nor the text. */
export type SmsOutcome = 'sent' | { failed: string }

/** Who carries our text messages. Does not throw for what the carrier or the network does. */
export type SmsSender = { send(message: TextMessage): Promise<SmsOutcome> }
