import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { addMonths, dayInIndia, financialYear, type Day } from '#domain/calendar.ts'
import { bmp, jpeg, pdf, png, webp } from '#server/documents/files.testing.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { cell, shown } from './days.ts'
import { expect, refused, test } from './portal.ts'
import { countPresses } from './presses.ts'

const path = '/active-loans/documents'
const card = (page: Page) => page.getByRole('region', { name: 'Your documents' })
const uploadButton = (page: Page) => card(page).getByRole('button', { name: 'Upload', exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Upload a document' })
const send = (page: Page) => dialog(page).getByRole('button', { name: 'Upload', exact: true })
const generateCard = (page: Page) => page.getByRole('region', { name: 'Get a document' })
const download = (page: Page, name: string) => generateCard(page).getByRole('button', { name: `Download ${name}`, exact: true })
const sheet = (page: Page, name: string) => page.getByRole('dialog', { name })

type Given = { name: string; mimeType: string; buffer: Buffer }

const choose = (page: Page, file: Given) => dialog(page).locator('input[type=file]').first().setInputFiles(file)

async function upload(page: Page, file: Given, type: 'Transcript' | 'Others' = 'Transcript'): Promise<void> {
  await uploadButton(page).click()
  await dialog(page).getByText(type, { exact: true }).click()
  await choose(page, file)
  await send(page).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).toContainText(`${file.name} has been uploaded.`)
}

const marks: Given = { name: 'marks.pdf', mimeType: 'application/pdf', buffer: pdf() }

test('uploads each type, then looks at a picture and a PDF and saves them under their names', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, path)
  await expect(card(page)).toContainText('No documents uploaded yet')
  await upload(page, marks)
  await upload(page, { name: 'scan.bmp', mimeType: 'image/bmp', buffer: bmp() }, 'Others')
  await upload(page, { name: 'photo.jpeg', mimeType: 'image/jpeg', buffer: jpeg() })
  await upload(page, { name: 'picture.webp', mimeType: 'image/webp', buffer: webp() })
  await upload(page, { name: 'अंकपत्र.png', mimeType: 'image/png', buffer: png() })
  await expect(card(page).getByRole('listitem')).toHaveCount(5)
  await expect(card(page).getByRole('listitem').first()).toContainText('Transcript')

  await card(page).getByRole('button', { name: 'View अंकपत्र.png' }).click()
  const preview = page.getByRole('dialog', { name: 'अंकपत्र.png' })
  const picture = preview.getByRole('img', { name: 'अंकपत्र.png' })
  await expect(picture).toBeVisible()
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(2)
  expect((await picture.locator('..').boundingBox())?.height).toBeGreaterThanOrEqual(400)
  const saved = page.waitForEvent('download')
  await preview.getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('अंकपत्र.png')
  await page.keyboard.press('Escape')
  await expect(preview).toBeHidden()

  await card(page).getByRole('button', { name: 'View marks.pdf' }).click()
  const paper = page.getByRole('dialog', { name: 'marks.pdf' })
  await expect(paper.getByRole('img', { name: 'marks.pdf, page 1 of 1' })).toBeVisible()
  expect((await paper.getByRole('region', { name: 'marks.pdf' }).boundingBox())?.height).toBeGreaterThanOrEqual(400)
  const file = page.waitForEvent('download')
  await paper.getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await file).path())).toEqual(marks.buffer)
})

test('a PDF is drawn by the page itself, in no frame, also where the browser has a viewer of its own', async ({
  page,
  enter,
  borrower,
}) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true }))
  await enter((await borrower()).phone, path)
  await upload(page, marks)
  await card(page).getByRole('button', { name: 'View marks.pdf' }).click()
  const paper = page.getByRole('dialog', { name: 'marks.pdf' })
  const drawn = paper.getByRole('img', { name: 'marks.pdf, page 1 of 1' })
  await expect(drawn).toBeVisible()
  await expect(page.locator('iframe, embed, object')).toHaveCount(0)
  // Drawn, not only a placeholder: a page is as wide as the screen has pixels for it.
  await expect.poll(() => drawn.evaluate((canvas) => (canvas as HTMLCanvasElement).width)).toBeGreaterThan(300)
})

test('refuses what it does not take before it is sent, and says what the server finds', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(415, '/portal/upload-document'))
  await enter((await borrower()).phone, path)
  await uploadButton(page).click()
  await expect(send(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(send(page)).toHaveAccessibleDescription('Choose the document type')
  await dialog(page).getByText('Others', { exact: true }).click()
  await expect(send(page)).toHaveAccessibleDescription('Choose a file')
  const unsupported = 'Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.'
  await choose(page, { name: 'moving.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
  await expect(dialog(page)).toContainText(unsupported)
  await choose(page, { name: 'marks.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) })
  await expect(dialog(page)).toContainText('File is empty. Please select a valid file with content.')
  await expect(send(page)).toHaveAttribute('aria-disabled', 'true')
  await choose(page, { name: 'large.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(10 * 1024 * 1024 + 1, 1) })
  await expect(dialog(page)).toContainText('The file is too large. The limit is 10 MB.')
  // An image with a PDF's name: only its bytes show it.
  await choose(page, { name: 'marks.pdf', mimeType: 'application/pdf', buffer: png() })
  await send(page).click()
  await expect(dialog(page).getByText(unsupported)).toBeVisible()
  await expect(dialog(page)).toContainText('The name of this file ends with PDF, but its content is something else.')
  // The same file would be refused again.
  await expect(dialog(page).getByRole('button', { name: 'Try Again' })).toHaveCount(0)
  const picker = page.waitForEvent('filechooser')
  await dialog(page).getByRole('button', { name: 'Choose another file' }).click()
  await picker
  // The fixed file is sent from the same dialog.
  await choose(page, marks)
  await send(page).click()
  await expect(card(page)).toContainText('marks.pdf has been uploaded.')
})

test('a dropped connection keeps the file, and trying again stores it once', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(/ERR_FAILED/)
  await enter((await borrower()).phone, path)
  await page.route('**/portal/upload-document', (route) => route.abort(), { times: 1 })
  await uploadButton(page).click()
  await dialog(page).getByText('Transcript', { exact: true }).click()
  await choose(page, marks)
  await send(page).click()
  await expect(dialog(page).getByRole('alert').last()).toContainText('Network error occurred.')
  await dialog(page).getByRole('button', { name: 'Try Again' }).click()
  await expect(card(page).getByRole('listitem')).toHaveCount(1)
})

test('a file of another app that cannot be read says what to do, and another one can be chosen', async ({ page, enter, borrower }) => {
  await page.addInitScript(() => {
    const { arrayBuffer } = File.prototype
    File.prototype.arrayBuffer = function (this: File) {
      return this.name === 'drive.pdf' ? Promise.reject(new DOMException('gone', 'NotReadableError')) : arrayBuffer.call(this)
    }
  })
  await enter((await borrower()).phone, path)
  await uploadButton(page).click()
  await dialog(page).getByText('Transcript', { exact: true }).click()
  await choose(page, { ...marks, name: 'drive.pdf' })
  await expect(dialog(page)).toContainText('This file could not be read. Save it on this phone or computer first, then choose it there.')
  await choose(page, marks)
  await expect(dialog(page)).not.toContainText('This file could not be read.')
  await send(page).click()
  await expect(card(page)).toContainText('marks.pdf has been uploaded.')
})

test('an upload can be stopped and nothing of it is stored', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, path)
  await page.route('**/portal/upload-document', () => {}, { times: 1 })
  await uploadButton(page).click()
  await dialog(page).getByText('Transcript', { exact: true }).click()
  await choose(page, marks)
  await send(page).click()
  await expect(dialog(page).getByRole('progressbar')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel upload' }).click()
  await expect(dialog(page).getByRole('progressbar')).toBeHidden()
  await expect(dialog(page)).toContainText('marks.pdf')
  await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(card(page)).toContainText('No documents uploaded yet')
})

test('the dialog of a sent file can be closed, and the file is stored', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await enter(own.phone, path)
  await uploadButton(page).click()
  await dialog(page).getByText('Transcript', { exact: true }).click()
  await choose(page, marks)
  const [locked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = portal.database.asSystem(async (sql) => {
    await lockOwnLoan(sql, own.borrowerId, own.loanId)
    locked.resolve()
    await closed.promise
  })
  await locked.promise
  await send(page).click()
  await dialog(page).getByText('Close', { exact: true }).click()
  await expect(dialog(page)).toBeHidden()
  closed.resolve()
  await held
  await expect(card(page)).toContainText('marks.pdf has been uploaded.')
  await expect(card(page).getByRole('listitem')).toHaveCount(1)
})

test('a file that is refused after its dialog was closed is reported in the card', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(/status of 415/)
  await enter((await borrower()).phone, path)
  // The whole file is sent before anything is answered.
  const answered = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      await answered.promise
      const problem = { type: 'about:blank', title: '', status: 415, detail: '', code: 'FileTypeUnsupported', request_id: 'x' }
      response.writeHead(415, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await page.route('**/portal/upload-document', (route) => route.continue({ url }))
  await uploadButton(page).click()
  await dialog(page).getByText('Transcript', { exact: true }).click()
  await choose(page, marks)
  await send(page).click()
  await dialog(page).getByText('Close', { exact: true }).click()
  await expect(dialog(page)).toBeHidden()
  // Also if another tab of the page is open by then.
  await page.getByRole('link', { name: 'Loan details', exact: true }).click()
  await expect(card(page)).toBeHidden()
  // After the answer the loans are read again.
  const reread = page.waitForResponse('**/portal/loans-summary*')
  answered.resolve()
  await reread
  await page.getByRole('link', { name: 'Documents', exact: true }).click()

  const report = card(page).getByRole('alert')
  await expect(report).toContainText('marks.pdf')
  await expect(report).toContainText('Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.')
  await expect(report).toContainText('The name of this file ends with PDF, but its content is something else.')
  await report.getByRole('button', { name: 'Close' }).click()
  await expect(report).toBeHidden()
  await expect(card(page)).toContainText('No documents uploaded yet')
  server.close()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true })

  test('the progress of an upload and why a file is refused are above the buttons', async ({ page, enter, borrower, browserErrors }) => {
    browserErrors.expectConsole(refused(415, '/portal/upload-document'))
    await enter((await borrower()).phone, path)
    await uploadButton(page).click()
    await expect(dialog(page).getByText('Choose a file', { exact: true })).toBeVisible()
    await dialog(page).getByText('Others', { exact: true }).click()
    const above = async (shown: Locator) => {
      await expect(shown).toBeInViewport({ ratio: 1 })
      const [box, bar] = [await shown.boundingBox(), await dialog(page).getByRole('button').last().locator('xpath=../..').boundingBox()]
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    }
    await choose(page, { name: 'moving.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
    await above(dialog(page).getByText(/^Unsupported file type/))
    const held = Promise.withResolvers<void>()
    await page.route('**/portal/upload-document', async (route) => {
      await held.promise
      await route.fulfill({
        status: 415,
        json: { type: 'about:blank', title: 'x', status: 415, detail: 'x', code: 'FileTypeUnsupported', request_id: 'x' },
      })
    })
    await choose(page, { name: 'marks.pdf', mimeType: 'application/pdf', buffer: png() })
    await dialog(page)
      .locator('> div')
      .nth(1)
      .evaluate((content) => content.scrollTo({ top: 0 }))
    await send(page).click()
    await above(dialog(page).getByRole('progressbar'))
    held.resolve()
    await above(dialog(page).getByText(/^The name of this file ends/))
  })
})

test('a file is dropped on the dialog', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, path)
  await uploadButton(page).click()
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'dropped.pdf', { type: 'application/pdf' }))
    return data
  }, pdf().toString('latin1'))
  await dialog(page).locator('label', { hasText: 'Choose a file' }).dispatchEvent('drop', { dataTransfer: dropped })
  await expect(dialog(page)).toContainText('dropped.pdf')
})

test('nobody uploads to a loan that is overdue or has no lead id, or without the permission', async ({ page, enter, borrower }) => {
  await enter((await borrower({ dueInDays: -3 })).phone, path)
  await expect(uploadButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(card(page)).toContainText('Documents can be uploaded once nothing is overdue')
  await enter(demoPhone(7), path)
  await expect(card(page)).toContainText('Lead ID not available for document upload')
  await page.route('**/auth/permissions', (route) => route.fulfill({ json: { permissions: [] } }))
  await enter((await borrower()).phone, path)
  await expect(card(page)).toContainText('Action not allowed')
  // With force: the test would wait for the button to be enabled.
  await uploadButton(page).click({ force: true })
  await expect(dialog(page)).toBeHidden()
  await expect(download(page, 'Repayment schedule')).toHaveAttribute('aria-disabled', 'true')
})

test('writes a statement of account, and the interest certificate of a year', async ({ page, portal, enter, borrower }) => {
  const today = dayInIndia(portal.clock.now())
  await enter((await borrower()).phone, path)
  await expect(generateCard(page).getByRole('listitem').first()).toContainText('Statement of account')
  await expect(generateCard(page)).toContainText('See ‘Papers from your lender’, or ask customer support: Sanction letter, Loan agreement')
  await expect(generateCard(page)).toContainText('After the loan is closed: Loan closure certificate')
  for (const name of ['Sanction letter', 'Loan agreement', 'Loan closure certificate'])
    await expect(generateCard(page).getByRole('button', { name, exact: true })).toBeDisabled()
  await download(page, 'Statement of account').click()
  const statement = page.waitForEvent('download')
  await page.route('**/portal/generate-document?*', async (route) => {
    await expect(sheet(page, 'Statement of account').getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-disabled', 'true')
    // A failure would be told to nobody after closing.
    await page.keyboard.press('Escape')
    await sheet(page, 'Statement of account').getByRole('button', { name: 'Close' }).click({ force: true })
    await expect(sheet(page, 'Statement of account')).toBeVisible()
    await route.continue()
  })
  await sheet(page, 'Statement of account').getByRole('button', { name: 'Download' }).click()
  expect((await statement).suggestedFilename()).toBe(`Statement of account_${today}.pdf`)
  expect((await readFile(await (await statement).path())).subarray(0, 5).toString()).toBe('%PDF-')
  await expect(sheet(page, 'Statement of account')).toBeHidden()
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  await download(page, 'Interest certificate').click()
  await expect(sheet(page, 'Interest certificate').getByRole('group', { name: 'Financial year' })).toBeVisible()
  const certificate = page.waitForEvent('download')
  await sheet(page, 'Interest certificate').getByRole('button', { name: 'Download' }).click()
  expect((await certificate).suggestedFilename()).toBe(`Interest certificate_${today}.pdf`)
})

test('last year’s interest certificate is three presses from the loan page', async ({ page, portal, enter }) => {
  await enter(demoPhone(1), '/active-loans')
  const presses = await countPresses(page)
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await download(page, 'Interest certificate').click()
  const asked = page.waitForRequest(/generate-document/)
  const saved = page.waitForEvent('download')
  await sheet(page, 'Interest certificate').getByRole('button', { name: 'Download' }).click()
  const year = Number(financialYear(dayInIndia(portal.clock.now())).slice(0, 4)) - 1
  expect(new URL((await asked).url()).searchParams.get('financial_year')).toBe(`${year}-${String((year + 1) % 100).padStart(2, '0')}`)
  await saved
  expect(presses()).toBe(3)
})

test('a closed loan offers its closure certificate first, in one press', async ({ page, enter }) => {
  await enter(demoPhone(4), path)
  await expect(generateCard(page).getByRole('listitem').first()).toContainText('Loan closure certificate')
  const saved = page.waitForEvent('download')
  await download(page, 'Loan closure certificate').click()
  expect((await saved).suggestedFilename()).toMatch(/^Loan closure certificate_/)
})

for (const { where, viewport, person, last } of [
  { where: 'on a phone', viewport: { width: 360, height: 740 }, person: 1, last: 'Payoff letter' },
  // Its tab is shorter than the screen.
  { where: 'on a desktop, for a closed loan', viewport: { width: 1280, height: 800 }, person: 4, last: 'Loan closure certificate' },
])
  test.describe(where, () => {
    test.use({ viewport, hasTouch: viewport.width < 768 })

    test('nothing moves while the answers come one by one', async ({ page, enter }) => {
      await page.addInitScript(() => {
        Reflect.set(window, 'shift', 0)
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) Reflect.set(window, 'shift', Reflect.get(window, 'shift') + Reflect.get(entry, 'value'))
        }).observe({ type: 'layout-shift', buffered: true })
      })
      const hold = async (url: string): Promise<() => void> => {
        const held = Promise.withResolvers<void>()
        await page.route(url, async (route) => {
          await held.promise
          await route.continue()
        })
        return held.resolve
      }
      const [sendLoans, sendSchedule, sendDocuments] = [
        await hold('**/portal/loans-summary'),
        await hold('**/portal/repayment-schedule?*'),
        await hold('**/portal/documents?*'),
      ]
      await enter(demoPhone(person), path)
      await expect(page.getByText('Loading loans...').first()).toBeVisible()
      sendLoans()
      await expect(generateCard(page)).toBeVisible()
      sendDocuments()
      await expect(card(page).getByText('No documents uploaded yet').or(card(page).getByRole('listitem').first())).toBeVisible()
      sendSchedule()
      await expect(download(page, last)).not.toHaveAttribute('aria-busy', 'true')
      expect(await page.evaluate(() => Reflect.get(window, 'shift'))).toBeLessThanOrEqual(0.01)
    })
  })

test('a statement of own dates goes back years at a time, by mouse and by keyboard', async ({ page, portal, enter, borrower }) => {
  const today = dayInIndia(portal.clock.now())
  await enter((await borrower()).phone, path)
  await download(page, 'Statement of account').click()
  const period = sheet(page, 'Statement of account')
  await period.getByText('Choose dates', { exact: true }).click()
  const field = (label: string) => period.getByRole('button', { name: label })
  const calendar = (label: string) => page.getByRole('dialog', { name: label })
  const chosen = (day: Day) => calendar('From').getByRole('button', { name: cell(day), exact: true })

  await field('From').click()
  await expect(chosen(today)).toBeFocused()
  await expect(calendar('From').getByRole('button', { name: 'Next year' })).toHaveAttribute('aria-disabled', 'true')
  for (let years = 0; years < 5; years += 1) await calendar('From').getByRole('button', { name: 'Previous year' }).click()
  await chosen(addMonths(today, -60)).click()
  await expect(field('From')).toContainText(shown(addMonths(today, -60)))

  // The same by keyboard, from the chosen day: three years back, one forward.
  await field('From').click()
  await expect(chosen(addMonths(today, -60))).toBeFocused()
  for (const key of ['PageUp', 'PageUp', 'PageUp', 'PageDown']) await page.keyboard.press(`Shift+${key}`)
  await expect(chosen(addMonths(today, -84))).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(field('From')).toContainText(shown(addMonths(today, -84)))

  // If today is selectable, 'Today' picks it.
  await field('To').click()
  await calendar('To').getByRole('button', { name: 'Today' }).click()
  await expect(calendar('To')).toBeHidden()
  await expect(field('To')).toContainText(shown(today))
  // The page behind the dialog has not scrolled.
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
})

test('a generated document that stalls is given up and reported, and everything can be pressed again', async ({
  page,
  enter,
  borrower,
}) => {
  await page.addInitScript(() => {
    // The first timeout for a file is short; the others are a minute.
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    let isFirst = true
    AbortSignal.timeout = (milliseconds) => {
      const isShort = isFirst && milliseconds === 60_000
      if (isShort) isFirst = false
      return timeout(isShort ? 500 : milliseconds)
    }
  })
  await enter((await borrower()).phone, path)
  await page.route('**/portal/generated-document?*', () => {}, { times: 1 })
  await download(page, 'Repayment schedule').click()
  await expect(generateCard(page)).toContainText('Failed to download file')
  await expect(download(page, 'Payoff letter')).not.toHaveAttribute('aria-disabled')
  const saved = page.waitForEvent('download')
  await generateCard(page).getByRole('button', { name: 'Try Again' }).click()
  await saved
})

test('an answer with doc_url alone is enough', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, path)
  await page.route('**/portal/generate-document?*', async (route) => {
    const response = await route.fetch()
    const { doc_url } = await response.json()
    await route.fulfill({ response, json: { doc_url } })
  })
  const saved = page.waitForEvent('download')
  await download(page, 'Repayment schedule').click()
  await saved
  await expect(page.getByText('No document URL received')).toHaveCount(0)
})

test('says where writing a document failed, and tries again', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/generate-document'))
  browserErrors.expectConsole(refused(404, '/portal/generated-document'))
  await enter((await borrower()).phone, path)
  const again = generateCard(page).getByRole('button', { name: 'Try Again' })
  await page.route('**/portal/generate-document?*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await download(page, 'Repayment schedule').click()
  await expect(generateCard(page)).toContainText('Failed to generate document, please retry')
  await page.route('**/portal/generate-document?*', (route) => route.fulfill({ json: {} }), { times: 1 })
  await again.click()
  await expect(generateCard(page)).toContainText('No document URL received')
  await page.route('**/portal/generated-document?*', (route) => route.fulfill({ status: 404, body: '' }), { times: 1 })
  await again.click()
  await expect(generateCard(page)).toContainText('Failed to download file')
  const saved = page.waitForEvent('download')
  await again.click()
  await saved
  await expect(download(page, 'Repayment schedule')).toBeVisible()

  // In the sheet the message stays beside the choice.
  browserErrors.expectConsole(refused(500, '/portal/generate-document'))
  await download(page, 'Statement of account').click()
  await page.route('**/portal/generate-document?*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await sheet(page, 'Statement of account').getByRole('button', { name: 'Download' }).click()
  await expect(sheet(page, 'Statement of account')).toContainText('Failed to generate document, please retry')
  const statement = page.waitForEvent('download')
  await sheet(page, 'Statement of account').getByRole('button', { name: 'Try Again' }).click()
  await statement
})

test('what depends on a schedule that could not be loaded is loaded again', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/repayment-schedule'))
  await page.route('**/portal/repayment-schedule?*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower()).phone, path)
  await expect(generateCard(page)).toContainText('Failed to load the schedule')
  await expect(generateCard(page)).not.toContainText(/Nothing left to pay|There is no schedule yet/)
  await page.unroute('**/portal/repayment-schedule?*')
  await generateCard(page).getByRole('button', { name: 'Try again' }).click()
  await expect(download(page, 'Payoff letter')).toBeVisible()
})
