import type { NoticeKind } from '#domain/notices.ts'

/** What a text message says of: already written for people. */
export type TextParts = { brand: string; amount: string; date: string; loan: string }

type Template = (parts: TextParts) => string

/**
 * The templates as they are registered with the carriers. English keeps to the letters of one message of 160 characters; the
 * loan is named by its last four characters, and nothing asks for anything or bears an address to press.
 */
const templates: Readonly<Record<'en' | 'hi', Readonly<Partial<Record<NoticeKind, Template>>>>> = {
  en: {
    payment_applied: ({ brand, amount, loan }) =>
      `We received Rs ${amount} for your loan ending ${loan}. It is in your account with us now. Thank you. - ${brand}`,
    refund_asked: ({ brand, amount, loan }) =>
      `Rs ${amount} paid for your loan ending ${loan} was not needed. We are sending it back to where it came from. - ${brand}`,
    refund_processed: ({ brand, amount, loan }) =>
      `We sent back Rs ${amount} of your loan ending ${loan}. Your bank shows it within a few working days. - ${brand}`,
    due_soon: ({ brand, amount, date, loan }) =>
      `Rs ${amount} of your loan ending ${loan} falls due on ${date}. Please pay in the portal. - ${brand}`,
    tranche_approved: ({ brand, amount, loan }) =>
      `Your tranche of Rs ${amount} of the loan ending ${loan} is approved. We tell you when it is paid out. - ${brand}`,
    tranche_released: ({ brand, amount, date, loan }) =>
      `Rs ${amount} of your loan ending ${loan} was paid out on ${date}. See the new schedule in the portal. - ${brand}`,
    tranche_rejected: ({ brand, amount, loan }) =>
      `Your tranche of Rs ${amount} of the loan ending ${loan} was not approved. Please ask us why. - ${brand}`,
  },
  hi: {
    payment_applied: ({ brand, amount, loan }) =>
      `${loan} पर समाप्त होने वाले आपके लोन के लिए रु ${amount} प्राप्त हुए और खाते में जमा हो गए। धन्यवाद। - ${brand}`,
    refund_asked: ({ brand, amount, loan }) =>
      `${loan} पर समाप्त होने वाले आपके लोन के लिए दिए गए रु ${amount} की आवश्यकता नहीं थी। राशि उसी खाते में वापस भेजी जा रही है। - ${brand}`,
    refund_processed: ({ brand, amount, loan }) =>
      `${loan} पर समाप्त होने वाले आपके लोन के रु ${amount} वापस भेज दिए गए। कुछ कार्य दिवसों में बैंक में दिखेंगे। - ${brand}`,
    due_soon: ({ brand, amount, date, loan }) =>
      `${loan} पर समाप्त होने वाले आपके लोन के रु ${amount} ${date} को देय हैं। कृपया पोर्टल में भुगतान करें। - ${brand}`,
    tranche_approved: ({ brand, amount, loan }) =>
      `${loan} पर समाप्त होने वाले लोन की रु ${amount} की किश्त स्वीकृत हो गई है। राशि जारी होने पर सूचना दी जाएगी। - ${brand}`,
    tranche_released: ({ brand, amount, date, loan }) =>
      `${loan} पर समाप्त होने वाले लोन के रु ${amount} ${date} को जारी किए गए। नई भुगतान सारणी पोर्टल में देखें। - ${brand}`,
    tranche_rejected: ({ brand, amount, loan }) =>
      `${loan} पर समाप्त होने वाले लोन की रु ${amount} की किश्त स्वीकृत नहीं हुई। कारण जानने के लिए हमसे संपर्क करें। - ${brand}`,
  },
}

/** The message for a kind; null when that kind never goes out as one. */
export const textMessage = (kind: NoticeKind, language: 'en' | 'hi', parts: TextParts): string | null =>
  templates[language][kind]?.(parts) ?? null
