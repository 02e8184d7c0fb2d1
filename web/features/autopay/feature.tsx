import { createFeaturePart } from '#web/app/feature.tsx'

/** The card *Autopay* of the payments tab, with its texts. */
export const AutopayCard = createFeaturePart('autopay', async () => (await import('./autopay-card.tsx')).AutopayCard)

/** Offers a mandate with a higher limit, with its texts. */
export const RenewMandate = createFeaturePart('autopay', async () => (await import('./renew-mandate.tsx')).RenewMandate)
