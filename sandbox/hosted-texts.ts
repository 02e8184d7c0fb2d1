/** Every text of the hosted page, in the order a customer meets them; `{name}` are blanks. */

export type Lang = 'en' | 'hi'

const EN = {
  testBand: 'TEST MODE: no real money moves',
  details: 'Payment details',
  payTo: 'Pay to',
  amount: 'Amount',
  purpose: 'For',
  reference: 'Reference',
  expires: 'Pay by',
  timeLeft: '{time} left',
  payByUpi: 'Pay by UPI',
  vpaLabel: 'UPI ID',
  vpaHint: 'Test IDs: success@razorpay pays, failure@razorpay is declined, slow@razorpay pays but is confirmed minutes later.',
  vpaInvalid: 'Use success@razorpay, failure@razorpay or slow@razorpay: other UPI IDs do not exist in test mode.',
  pay: 'Pay {amount}',
  simulateFailure: 'Simulate a failed payment',
  moreOutcomes: 'More test outcomes',
  simulateLate: 'Simulate a late confirmation',
  lateHint: 'The bank stays silent, and confirms the payment {seconds} seconds later.',
  simulateLost: 'Simulate a lost return',
  lostHint: 'The payment succeeds, but you are not taken back to the merchant.',
  failedTitle: 'Payment failed',
  failedAgain: 'No money was taken. You can try again.',
  failed_payment_declined: 'The payment was declined in the UPI app.',
  failed_card_declined: "The payment was declined by the card's bank.",
  failed_payment_cancelled: "The payment was cancelled on the bank's page.",
  failed_payment_timed_out: 'Your bank has not confirmed the payment yet.',
  failedLateAgain: 'If money was debited, it will be applied or returned. There is no need to pay again.',
  paidTitle: 'Payment successful',
  paidLine: '{merchant} has received {amount}.',
  returning: 'Taking you back to {merchant} in {seconds} seconds…',
  returnNow: 'Return to merchant now',
  lostLine: 'The return was lost on purpose. You can close this page.',
  closeLine: 'You can close this page.',
  paymentId: 'Payment ID',
  bankReference: 'Bank reference (RRN)',
  paidOn: 'Paid on',
  statusPaidTitle: 'This payment link is already paid',
  statusPaidLine: 'Nothing more is due on it. You can close this page.',
  statusExpiredTitle: 'This payment link has expired',
  statusExpiredLine: 'It can no longer be paid. Please ask {merchant} for a new link.',
  statusCancelledTitle: 'This payment link was cancelled',
  statusCancelledLine: '{merchant} has withdrawn it, so it can no longer be paid.',
  notFoundTitle: 'There is no such payment link',
  notFoundLine: 'Please check the address, or open the link from your message again.',
  footer: 'Payment sandbox: a local stand-in for the payment provider',
  otherLanguage: 'हिन्दी',
}

export type TextKey = keyof typeof EN

const HI: Record<TextKey, string> = {
  testBand: 'टेस्ट मोड: कोई असली पैसा नहीं कटता',
  details: 'भुगतान का विवरण',
  payTo: 'किसे भुगतान',
  amount: 'राशि',
  purpose: 'विवरण',
  reference: 'संदर्भ संख्या',
  expires: 'अंतिम समय',
  timeLeft: '{time} शेष',
  payByUpi: 'UPI से भुगतान करें',
  vpaLabel: 'UPI ID',
  vpaHint: 'टेस्ट ID: success@razorpay से भुगतान सफल होता है, failure@razorpay से अस्वीकार, slow@razorpay से पुष्टि कुछ मिनट बाद।',
  vpaInvalid: 'success@razorpay, failure@razorpay या slow@razorpay लिखें: टेस्ट मोड में कोई और UPI ID मान्य नहीं है।',
  pay: '{amount} का भुगतान करें',
  simulateFailure: 'असफल भुगतान आज़माएँ',
  moreOutcomes: 'और टेस्ट परिणाम',
  simulateLate: 'देर से पुष्टि आज़माएँ',
  lateHint: 'बैंक चुप रहता है और {seconds} सेकंड बाद भुगतान की पुष्टि करता है।',
  simulateLost: 'वापसी छूट जाना आज़माएँ',
  lostHint: 'भुगतान सफल होता है, पर आपको वापस नहीं ले जाया जाता।',
  failedTitle: 'भुगतान असफल रहा',
  failedAgain: 'कोई राशि नहीं कटी है। आप दोबारा प्रयास कर सकते हैं।',
  failed_payment_declined: 'UPI ऐप में भुगतान अस्वीकार किया गया।',
  failed_card_declined: 'कार्ड के बैंक ने भुगतान अस्वीकार किया।',
  failed_payment_cancelled: 'बैंक के पेज पर भुगतान रद्द किया गया।',
  failed_payment_timed_out: 'आपके बैंक ने अभी तक भुगतान की पुष्टि नहीं की है।',
  failedLateAgain: 'यदि राशि कट गई है तो वह जमा की जाएगी या लौटा दी जाएगी। दोबारा भुगतान की आवश्यकता नहीं है।',
  paidTitle: 'भुगतान सफल रहा',
  paidLine: '{merchant} को {amount} प्राप्त हो गए हैं।',
  returning: '{seconds} सेकंड में आपको {merchant} पर वापस ले जाया जाएगा…',
  returnNow: 'अभी वापस जाएँ',
  lostLine: 'वापसी जान-बूझकर छोड़ी गई है। आप यह पेज बंद कर सकते हैं।',
  closeLine: 'आप यह पेज बंद कर सकते हैं।',
  paymentId: 'भुगतान ID',
  bankReference: 'बैंक संदर्भ (RRN)',
  paidOn: 'भुगतान का समय',
  statusPaidTitle: 'इस लिंक का भुगतान हो चुका है',
  statusPaidLine: 'इस पर और कुछ बकाया नहीं है। आप यह पेज बंद कर सकते हैं।',
  statusExpiredTitle: 'इस भुगतान लिंक की समय-सीमा समाप्त हो गई है',
  statusExpiredLine: 'अब इससे भुगतान नहीं हो सकता। कृपया {merchant} से नया लिंक लें।',
  statusCancelledTitle: 'यह भुगतान लिंक रद्द कर दिया गया है',
  statusCancelledLine: '{merchant} ने इसे वापस ले लिया है, इसलिए इससे भुगतान नहीं हो सकता।',
  notFoundTitle: 'ऐसा कोई भुगतान लिंक नहीं है',
  notFoundLine: 'कृपया पता जाँचें, या अपने संदेश से लिंक दोबारा खोलें।',
  footer: 'भुगतान सैंडबॉक्स: भुगतान प्रदाता का स्थानीय प्रतिरूप',
  otherLanguage: 'English',
}

/** A text in a language with its blanks filled. */
export type Say = (key: TextKey, blanks?: Readonly<Record<string, string>>) => string

export function sayIn(lang: Lang): Say {
  const table = lang === 'hi' ? HI : EN
  return (key, blanks = {}) => table[key].replace(/\{(\w+)\}/g, (blank, name: string) => blanks[name] ?? blank)
}

/** Paise as rupees with Indian grouping; paise are shown only when there are any. */
export function rupees(paise: number): string {
  const digits = paise % 100 === 0 ? 0 : 2
  const format = new Intl.NumberFormat('en-IN', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `₹${format.format(paise / 100)}`
}

/** Unix seconds as an Indian date and time: 05 Dec 2026, 5:30 pm. */
export function indianTime(lang: Lang, seconds: number): string {
  return new Intl.DateTimeFormat(`${lang}-IN-u-nu-latn`, {
    timeZone: 'Asia/Kolkata',
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(seconds * 1000)
}
