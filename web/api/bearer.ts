/**
 * The token that calls carry, and what happens when the server refuses it.
 * The session owns both; they stand here so that a call need not know the session.
 */
export const bearer: { token: string | null; onRefused: () => void } = { token: null, onRefused: () => {} }
