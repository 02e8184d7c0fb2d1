/** Spec §4 'Logout': a confirmation, then the logout, which ends with the login page. */
export type LogoutState = 'idle' | 'confirming' | 'logging-out'

export type LogoutEvent = 'asked' | 'cancelled' | 'confirmed'

export function logoutReducer(state: LogoutState, event: LogoutEvent): LogoutState {
  switch (event) {
    case 'asked':
      return state === 'idle' ? 'confirming' : state
    case 'cancelled':
      return state === 'confirming' ? 'idle' : state
    case 'confirmed':
      return state === 'confirming' ? 'logging-out' : state
  }
}
