import { describe, expect, test } from 'vitest'
import { panPattern, phonePattern, upiPattern } from './personal-data.ts'

const hide = (text: string) => text.replaceAll(upiPattern, '…').replaceAll(phonePattern, '…').replaceAll(panPattern, '…')

describe('personal data in free text', () => {
  test.each([
    ['called from 9876543210', 'called from …'],
    ['called from 09876543210', 'called from …'],
    ['called from 0 98765-43210', 'called from …'],
    ['called from 919876543210', 'called from …'],
    ['called from +919876543210', 'called from …'],
    ['called from +91 98765 43210', 'called from …'],
    ['called from 00919876543210', 'called from …'],
    ['called from 987-654-3210', 'called from …'],
    ['called from 9876 543 210', 'called from …'],
    ['called from (98765)43210', 'called from …'],
    ['called from (+91) 98765 43210, twice', 'called from …, twice'],
    ['pan ABCDE1234F', 'pan …'],
    ['pan abcde1234f', 'pan …'],
    ['pays by asha@okaxis', 'pays by …'],
    ['pays by 9876543210@ybl.', 'pays by ….'],
    ['pays by Asha.R-2@OkHDFC', 'pays by …'],
  ])('is found: %s', (text, hidden) => {
    expect(hide(text)).toBe(hidden)
  })
  test.each([
    'waived ₹98,76,543.21 of ₹9876543.21',
    'charges of 750, 1500 and 98765 rupees',
    'loan KST-24-004173, charge late:2026-10-05',
    'from 2026-11-29 to 9-11-2026, 950 rupees; on 09/11/2026 at 16:05',
    'UTR 633098765432, 712345678901 and 098765432109',
    'UTR SBIN0987654321098765 and N330269876543210',
    'pay_Q9876543210abc and plink_9876543210AbCd, order_abcde1234f',
    'about 1000 a month at 9.5 % @ monthly rests',
    '"time":1796000000000,"took":0.9876543210',
  ])('is not seen in: %s', (text) => {
    expect(hide(text)).toBe(text)
  })
})
