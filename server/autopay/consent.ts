import type { DocumentLanguage } from '#domain/documents.ts'

/**
 * What the borrower agrees to. A changed text is a new version; a mandate keeps the version that
 * was agreed to.
 */
export const consentVersion = '2026-11'

const texts: Readonly<Record<DocumentLanguage, (lender: string) => string>> = {
  en: (lender) =>
    `I allow ${lender} to debit what is due of this loan from my account on each due date, up to the limit that I choose. ` +
    'I am told the amount and the day at least 24 hours before each debit. I can skip a debit, pause, or cancel autopay in this portal at any time, ' +
    'until one hour before a debit. Setting it up, changing and cancelling it is free. I can still pay by hand; what I have paid is not debited again.',
  hi: (lender) =>
    `मैं ${lender} को अनुमति देता/देती हूँ कि इस लोन की देय राशि हर देय तारीख़ को, मेरी चुनी हुई सीमा तक, मेरे खाते से काटी जाए। ` +
    'हर कटौती से कम से कम 24 घंटे पहले मुझे राशि और दिन बताया जाएगा। मैं इस पोर्टल में कभी भी, कटौती से एक घंटा पहले तक, कोई कटौती छोड़ सकता/सकती हूँ, ' +
    'ऑटोपे रोक सकता/सकती हूँ या रद्द कर सकता/सकती हूँ। इसे सेट करना, बदलना और रद्द करना मुफ़्त है। मैं खुद भी भुगतान कर सकता/सकती हूँ; जो चुकाया जा चुका है वह दोबारा नहीं कटेगा।',
}

export const consentText = (language: DocumentLanguage, lender: string): string => texts[language](lender)
