import type { ButtonState } from './button-class.ts'

/**
 * Whether the person has a permission: 'loading' until it is known, 'unknown' after loading has
 * failed.
 */
export type PermissionAnswer = 'allowed' | 'denied' | 'loading' | 'unknown'

/** What determines an action button's state (spec §4 'Action buttons', §6). */
export type Action = {
  permission: PermissionAnswer
  /** Why it is not possible now; null if it is. */
  obstacle: string | null
  /** The state of the action itself. */
  state: ButtonState
}

/** Missing permission first, then not possible, then the action's own state. */
export function resolveActionState({ permission, obstacle, state }: Action): ButtonState {
  if (permission === 'denied') return 'not_permitted'
  return permission !== 'allowed' || obstacle !== null ? 'disabled' : state
}

/** Whether a press has an effect. A failed action can be tried again. */
export const isPressable = (state: ButtonState): boolean => state === 'normal' || state === 'error'

/** The state of the button that starts a call. */
export const getCallState = ({ isPending, isError }: { isPending: boolean; isError: boolean }): ButtonState =>
  isPending ? 'loading' : isError ? 'error' : 'normal'
