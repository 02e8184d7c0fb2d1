import type { StaffAct } from '#contract/staff-access.ts'

export const views = [
  'profile_viewed',
  'loans_viewed',
  'application_viewed',
  'schedule_viewed',
  'payments_viewed',
  'tranches_viewed',
  'documents_viewed',
  'staff_access_viewed',
] as const satisfies readonly StaffAct[]
export type View = (typeof views)[number]
export type StaffAction = Exclude<StaffAct, View>

type Act = { act: StaffAct; times: number }

/** Reads, each kind once in the portal's order, and actions with their counts. */
export function splitActs(acts: readonly Act[]): { seen: View[]; done: { act: StaffAction; times: number }[] } {
  return {
    seen: views.filter((view) => acts.some(({ act }) => act === view)),
    done: acts.flatMap(({ act, times }) => (isView(act) ? [] : [{ act, times }])),
  }
}

const isView = (act: StaffAct): act is View => (views as readonly StaffAct[]).includes(act)
