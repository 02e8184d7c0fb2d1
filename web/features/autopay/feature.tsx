import { loadAreas } from '#web/i18n/i18n.ts'
import { createLazyPart } from '#web/ui/lazy-part.tsx'

/** The card *Autopay* of the payments tab, with its texts. */
export const AutopayCard = createLazyPart(async () => {
  const [card] = await Promise.all([import('./autopay-card.tsx'), loadAreas('autopay')])
  return card.AutopayCard
})

/** Offers a mandate with a higher limit, with its texts. */
export const RenewMandate = createLazyPart(async () => {
  const [renewal] = await Promise.all([import('./renew-mandate.tsx'), loadAreas('autopay')])
  return renewal.RenewMandate
})
