/**
 * Spec §4 'Logout': a confirmation, then the logout on this device, whatever the server responds.
 */
export type LogoutState = 'idle' | 'confirming' | 'logging-out' | 'logged-out'

export type LogoutEvent = 'asked' | 'cancelled' | 'confirmed' | 'call_succeeded' | 'call_failed'

export function logoutReducer(state: LogoutState, event: LogoutEvent): LogoutState {
  switch (event) {
    case 'asked':
      return state === 'idle' ? 'confirming' : state
    case 'cancelled':
      return state === 'confirming' ? 'idle' : state
    case 'confirmed':
      return state === 'confirming' ? 'logging-out' : state
    case 'call_succeeded':
    case 'call_failed':
      return state === 'logging-out' ? 'logged-out' : state
  }
}
