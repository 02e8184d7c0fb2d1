import { expect, test } from 'vitest'
import { getButtonClass } from '#web/ui/button-class.ts'
import { reloadButtonClass } from './start-failure.ts'

test('the button of a failed start looks like the others', () => {
  expect(reloadButtonClass).toBe(getButtonClass('primary', 'md', 'normal', false))
})
