import type { ButtonState } from './button.tsx'

/** Whether the person may do something: 'loading' until the answer is there, 'unknown' after asking has failed. */
export type PermissionAnswer = 'allowed' | 'denied' | 'loading' | 'unknown'

/** What decides how a button for an action stands (spec §4 'Action buttons', §6). */
export type Action = {
  permission: PermissionAnswer
  /** Why it is not possible now; null where it is. */
  obstacle: string | null
  /** How the action itself is going. */
  state: ButtonState
}

/** Not permitted before not possible, before how it goes: what may not be pressed neither spins nor turns red. */
export function actionState({ permission, obstacle, state }: Action): ButtonState {
  if (permission === 'denied') return 'not_permitted'
  return permission !== 'allowed' || obstacle !== null ? 'disabled' : state
}

/** Whether a press does something. A failed action may be tried again. */
export const isPressable = (state: ButtonState): boolean => state === 'normal' || state === 'error'
