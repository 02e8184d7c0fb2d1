import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '#web/ui/badge.tsx'
import { dpdTone } from './dpd.ts'

/** Days past due as a borrower reads them: 'On time', '16 days late'. */
export function DpdBadge({ dpd }: { dpd: number }) {
  const { t } = useLingui()
  const tone = dpdTone(dpd)
  return <Badge tone={tone}>{tone === 'positive' ? t`On time` : t`${plural(dpd, { one: '# day late', other: '# days late' })}`}</Badge>
}
