import { expect, it } from 'vitest'
import { maskAccountNumbers } from './razorpay-event.ts'

const masked = (text: string) => maskAccountNumbers(Buffer.from(text, 'latin1')).toString('latin1')

it('stores of an account number the last four digits, in any form', () => {
  expect(masked('{"account_number":"1121431121541121","ifsc":"HDFC0000001"}')).toBe(
    '{"account_number":"XXXXXXXXXXXX1121","ifsc":"HDFC0000001"}',
  )
  expect(masked('{"a":{"account_number" : 112143112154},"b":{"account_number":"12345678901"}}')).toBe(
    '{"a":{"account_number" : "XXXXXXXX2154"},"b":{"account_number":"XXXXXXX8901"}}',
  )
})

it('changes nothing else', () => {
  const plain = Buffer.from('{"id":"pay_1","amount":1121431121541121}')
  expect(maskAccountNumbers(plain)).toBe(plain)
  expect(masked('{"account_number":"XXXX1121","name":"\u00ff\u00e0"}')).toBe('{"account_number":"XXXX1121","name":"\u00ff\u00e0"}')
  expect(masked('{"account_number":null}')).toBe('{"account_number":null}')
  expect(masked('{"account_number":""}')).toBe('{"account_number":""}')
})
