import { autopayStates } from './autopay-states.ts'
import { dialogStates } from './dialog-states.ts'
import { loanStates } from './loan-states.ts'
import { operationsStates } from './operations-states.ts'
import { pageStates } from './page-states.ts'
import { payingStates } from './paying-states.ts'
import { resetStates } from './reset-states.ts'
import { signInStates } from './sign-in-states.ts'
import { staffStates } from './staff-states.ts'
import type { State } from './screen-context.ts'

/**
 * Every screen and state, in the order of use. Each chapter has its own portal, so that a state
 * looks the same in full and partial runs.
 */
export const chapters: readonly (readonly State[])[] = [
  signInStates,
  loanStates,
  resetStates,
  dialogStates,
  payingStates,
  autopayStates,
  pageStates,
  staffStates,
  operationsStates,
]
