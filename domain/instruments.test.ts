import { expect, it } from 'vitest'
import { maskedInstrument } from './instruments.ts'

it.each([
  ['success@razorpay', 'suXXXX@razorpay'],
  ['9876543210@ybl', '98XXXX@ybl'],
  ['ab@upi', 'aXXXX@upi'],
  ['a@upi', 'XXXX@upi'],
  ['Visa 1111', 'Visa XXXX 1111'],
  ['American Express 0005', 'American Express XXXX 0005'],
  ['HDFC', 'HDFC'],
  ['paytm', 'paytm'],
  ['@upi', '@upi'],
  ['Visa 1111 Gold', 'Visa 1111 Gold'],
])('%s is shown as %s', (instrument, masked) => expect(maskedInstrument(instrument)).toBe(masked))
