import { msg } from '@lingui/core/macro'
import type { Mandate } from '#contract/autopay.ts'

const ofRequest = {
  title: msg`Cancel the request for autopay?`,
  effect: msg`Nothing will be debited. Your EMIs stay due: pay them yourself. You can set it up again at any time.`,
  confirm: msg`Cancel the request`,
  keep: msg`Keep the request`,
}

const ofMandate: typeof ofRequest = {
  title: msg`End autopay?`,
  effect: msg`From now on nothing is debited, except what your bank is carrying out already. Your EMIs stay due: pay them yourself. You can set it up again at any time.`,
  confirm: msg`End autopay`,
  keep: msg`Keep it on`,
}

/** The texts of the cancel dialog: a mandate that was never active is only a request. */
export const getCancelTexts = ({ active_at: activeAt }: Mandate): typeof ofRequest => (activeAt === null ? ofRequest : ofMandate)
