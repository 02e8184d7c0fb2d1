/** The person behind a command of the operator's tool, and why they gave it. */
export type Operator = {
  /** The staff member's user id; `operator` where nobody was named. The ledger, the histories and the access log store it. */
  actorId: string
  /** First and last name, for the access log and the process log. */
  name: string
  /** Null where no reason was given. */
  reason: string | null
}

/** Who gives a command outside production without `--as`. */
export const unnamedOperator = (reason: string | null = null): Operator => ({ actorId: 'operator', name: 'operator (not named)', reason })

/** What an entry of the access log says of the operator, beside `actor_id`. */
export const operatorDetail = ({ name, reason }: Operator): { operator: string; reason?: string } => ({
  operator: name,
  ...(reason !== null && { reason }),
})
