import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read, root } from './repository.testing.ts'

const page = read('docs/screens.md')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| route |'))
  .map((line) => {
    const [route = '', what = '', file = '', test = ''] = line.slice(2, -2).split(' | ')
    return { route: route.replaceAll('`', ''), what, file: file.replaceAll('`', ''), test: test.replaceAll('\\|', '|') }
  })

/** Texts that the specification fixes; `{…}` is a placeholder for a number or an amount. */
const fixedTexts = [
  'You do not have admin privileges. Please contact support.',
  'Search by name, email, phone, or PAN',
  'Loading loans...',
  'Failed to load loans',
  'No Loans Found',
  "You currently don't have any active loans. When you take a loan, it will appear here.",
  'Lead ID not available for document upload',
  'Are you sure you want to cancel payment confirmation? Your payment status may not be updated immediately.',
  'Payment successful! Your loan balance has been updated.',
  'Payment link has expired. Please try again with a new payment link.',
  'Payment was cancelled. Please initiate a new payment.',
  "Payment received but we're facing delays updating your loan balance. It will reflect shortly.",
  "We're experiencing issues syncing your payment. Please check your dashboard.",
  'Payment processed successfully! We are now syncing your loan balance.',
  'Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.',
  'File is empty. Please select a valid file with content.',
  'Please enter a valid amount',
  'Amount must be at least {min}',
  'Amount cannot exceed {max}',
  'Your session has expired. Please sign in again.',
  'You do not have permission to access this resource.',
  'The information you are looking for is temporarily unavailable. Please try again after a while.',
  'Backend is temporarily down. Please try again.',
  'Unable to connect to server. Please check your internet connection and try again.',
  'Network error occurred. Please check your connection and try again.',
  'Request timed out. Please try again.',
  'Failed to generate document, please retry',
  'No document URL received',
  'Failed to download file',
  'No data found',
  'No documents uploaded yet',
  'Failed to cancel payment. Please try again.',
  'Failed to create payment. Please try again.',
  'Failed to create payment link. Please try again.',
  'Action not allowed',
  'Page not found',
  'Please contact support for help',
  'Showing {first} to {last} of {total} Entries',
  'logged in as',
  'Clear',
  'Today',
]

describe('docs/screens.md', () => {
  it('names an existing test in every row', () => {
    expect(rows.length).toBeGreaterThan(150)
    const missing = rows.filter(({ file, test }) => test === '' || !existsSync(join(root, file)) || !read(file).includes(test))
    expect(missing.map(({ what, file, test }) => `${what}: ${file} has no «${test}»`)).toEqual([])
  })
  it('has a row for every route', () => {
    const routes = [...read('web/app/paths.ts').matchAll(/: '(\/[^']*)'/g)].map(([, path = '']) => path)
    expect(routes.length).toBeGreaterThan(9)
    expect(routes.filter((path) => !rows.some(({ route }) => route === path))).toEqual([])
  })
  it('describes a portal that has every fixed text word for word, in English and in Hindi', () => {
    const areas = readdirSync(join(root, 'web/locales'))
    const english = areas.map((area) => read(`web/locales/${area}/en.po`)).join('\n')
    const hindi = areas.map((area) => read(`web/locales/${area}/hi.po`)).join('\n')
    expect(fixedTexts.filter((text) => !english.includes(`msgid "${text}"`))).toEqual([])
    const hasHindi = (text: string) => {
      const at = hindi.indexOf(`msgid "${text}"\nmsgstr "`)
      return at !== -1 && !hindi.startsWith('"', at + `msgid "${text}"\nmsgstr "`.length)
    }
    expect(fixedTexts.filter((text) => !hasHindi(text))).toEqual([])
  })
})
