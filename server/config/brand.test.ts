import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { productionSettings } from '#testkit/production-settings.ts'
import { brandColours, readBrand } from './brand.ts'
import { ConfigError, readConfig } from './read-config.ts'

const example = join(import.meta.dirname, '../../brand/example')
const directory = mkdtempSync(join(tmpdir(), 'kist-brand-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Example = { colours: { light: Record<string, string> } }

/** The example folder with a change. */
function changed(change: (brand: Example) => unknown, logo?: string): string {
  cpSync(example, directory, { recursive: true })
  const brand = JSON.parse(readFileSync(join(example, 'brand.json'), 'utf8')) as Example
  change(brand)
  writeFileSync(join(directory, 'brand.json'), JSON.stringify(brand))
  if (logo !== undefined) writeFileSync(join(directory, 'logo.svg'), logo)
  return directory
}
const settings = { KIST_DATA_DIR: directory, KIST_BRAND_DIR: example }

it('sets every name, contact, colour and language of the portal', () => {
  const { portal, brandLogo, brandStyle, http } = readConfig(settings)
  expect(portal.brand).toMatchObject({ name: 'Sarvodaya', lender: 'Sarvodaya Housing Finance Ltd', logo: '/brand/logo.svg' })
  expect(brandStyle).toMatch(/^:root:root\{--brand:#8a1f4f;.*:root:root\[data-theme='dark'\]\{--brand:#f0a3c6;/)
  expect(portal).toMatchObject({
    default_language: 'hi',
    detect_language: false,
    support: { phone: '1800 266 7788' },
    grievance_officer: { name: 'Meenakshi Rathore' },
  })
  expect([brandLogo, http.securityContact]).toEqual([join(example, 'logo.svg'), 'mailto:suraksha@sarvodaya.example'])
})

it('leaves what it does not name to the demo lender, whose words production refuses', () => {
  const folder = makeBrandFolder({ lender: 'Sarathi Finance Ltd', support: { phone: '1800 000 0000', hours: 'Mon–Fri' } })
  expect(readConfig({ ...settings, KIST_BRAND_DIR: folder }).portal).toMatchObject({
    brand: { name: 'Kist', lender: 'Sarathi Finance Ltd' },
    support: { phone: '1800 000 0000', email: 'support@meghdoot.example', hours: 'Mon–Fri', hours_hi: 'Mon–Fri' },
  })
  const words = ['lender_address', 'support.email', 'grievance_officer.name', 'grievance_officer.phone', 'grievance_officer.email']
  const faults = [...words, 'security_contact', 'sms'].map((word) => `KIST_BRAND_DIR: brand.json has no ${word} of the lender`)
  const start = () => readConfig({ ...productionSettings, KIST_DATA_DIR: directory, KIST_BRAND_DIR: folder })
  expect(start).toThrow(new ConfigError(faults))
})

it('names the pages of the lender’s site that are given, and no other', () => {
  const urls = { privacy_url: 'https://lender.example.in/privacy', accessibility_url: 'https://lender.example.in/access' }
  const { brand } = readConfig({ ...settings, KIST_BRAND_DIR: makeBrandFolder(urls) }).portal
  expect(brand).toMatchObject(urls)
  expect(brand.charges_url).toBeUndefined()
  const wrong = makeBrandFolder({ charges_url: 'javascript:alert(1)' })
  expect(() => readConfig({ ...settings, KIST_BRAND_DIR: wrong })).toThrow('charges_url must be an http or https address')
})

it('names the registered sender of text messages, the cap of a UPI mandate, and the bank holidays', () => {
  const sms = { header: 'SRTHFN', entity_id: '1201159876543210987' }
  const folder = makeBrandFolder({ sms, upi_mandate_max: 200_000 })
  writeFileSync(join(folder, 'bank-holidays.json'), '{"2026-11-24": "Guru Nanak Jayanti"}')
  const key = '430192AbQx7Lm2Pz5f8d1c90P1'
  const config = readConfig({ ...settings, KIST_BRAND_DIR: folder, MSG91_AUTH_KEY: key })
  expect(config.sms).toMatchObject({ authKey: key, sender: 'SRTHFN', dltEntityId: '1201159876543210987' })
  expect(config.autopay.rules).toMatchObject({ upiDebitMaximumPaise: 1_500_000n, upiMandateMaximumPaise: 20_000_000n })
  expect([...config.autopay.holidays]).toEqual(['2026-11-24'])
  const byDefault = readConfig({ ...settings, MSG91_AUTH_KEY: key, KIST_BRAND_DIR: makeBrandFolder({}) })
  expect([byDefault.sms, byDefault.autopay.rules.upiMandateMaximumPaise]).toEqual([null, 9_999_900n])
  const faultsOf = (brand: object) => readBrand(makeBrandFolder(brand)).faults
  expect(faultsOf({ sms: { ...sms, header: 'SRTH' } })).toEqual([
    'KIST_BRAND_DIR: brand.json: sms.header must be the registered header of six letters',
  ])
  expect(faultsOf({ sms: { header: 'SRTHFN' } })).toEqual([expect.stringContaining('brand.json: sms.entity_id')])
  expect(faultsOf({ upi_mandate_max: 200_001 })).toEqual(['KIST_BRAND_DIR: brand.json: upi_mandate_max must be at most 200000'])
})

it('names the account for transfers with all three parts', () => {
  const account = { name: 'Sarathi Finance Ltd', number: '50200012345678', ifsc: 'HDFC0000001' }
  const read = (repayment_account: object) => readBrand(makeBrandFolder({ repayment_account }))
  expect(read(account).lender.repayment_account).toEqual(account)
  expect(read({ name: account.name, number: account.number }).faults).toEqual([
    expect.stringContaining('brand.json: repayment_account.ifsc'),
  ])
  expect(read({ ...account, ifsc: 'HDFC1' }).faults).toEqual([expect.stringContaining('must be an IFSC such as HDFC0000001')])
})

it('sets the colour of the browser’s toolbar, and the icons', () => {
  const { brandSpine, brandIcons } = readConfig(settings)
  expect([brandSpine, brandIcons]).toEqual(['#3d0f27', join(example, 'icons')])
  const kist = readConfig({ KIST_DATA_DIR: directory })
  expect([kist.brandSpine, kist.brandIcons]).toEqual(['#0a3a44', null])
})

it('refuses an incomplete set of icons, and an icon of another size', () => {
  const folder = changed(() => {})
  rmSync(join(folder, 'icons/180.png'))
  cpSync(join(folder, 'icons/512.png'), join(folder, 'icons/192.png'))
  expect(readBrand(folder).faults).toEqual([
    expect.stringContaining('icons/180.png is missing'),
    expect.stringContaining('icons/192.png must be a PNG of 192 by 192 pixels'),
  ])
})

it('is Kist without a folder', () => {
  const { portal, brandLogo, brandStyle } = readConfig({ KIST_DATA_DIR: directory })
  expect([portal.brand.name, portal.brand.logo, brandLogo, brandStyle]).toEqual(['Kist', undefined, null, ''])
})

it('reports the faults of a folder, and does not start', () => {
  const faultsOf = (...given: Parameters<typeof changed>) => readBrand(changed(...given)).faults
  expect(readBrand('/nowhere').faults).toEqual([expect.stringContaining('/nowhere/brand.json cannot be read')])
  expect(faultsOf((brand) => Object.assign(brand, { colour: {} }))).toEqual(['KIST_BRAND_DIR: brand.json: it may not have colour'])
  expect(faultsOf((brand) => Object.assign(brand.colours.light, { brand: 'red' }))).toEqual([
    'KIST_BRAND_DIR: brand.json: colours.light.brand must be a colour like #00606f',
  ])
  expect(faultsOf((brand) => Object.assign(brand.colours.light, { danger: '#000000' }))).toEqual([
    'KIST_BRAND_DIR: brand.json: colours.light may not have danger',
  ])
  expect(faultsOf((brand) => Object.assign(brand.colours.light, { 'brand-contrast': '#c05080' }))).toEqual([
    'KIST_BRAND_DIR: colours.light: brand-contrast on brand has a contrast below 4.5 to 1',
    'KIST_BRAND_DIR: colours.light: brand-contrast on brand-hover has a contrast below 4.5 to 1',
  ])
  expect(
    faultsOf((brand) => Object.assign(brand.colours.light, { brand: '#ffd0e0', 'brand-contrast': '#000000', 'brand-hover': '#ffd0e0' })),
  ).toEqual([expect.stringContaining('brand on #ffffff has a contrast below')])
  for (const logo of ['<svg><script>1</script></svg>', '<svg onload="x"/>', '<svg><image href="https://x.example/a.png"/></svg>', 'GIF89a'])
    expect(faultsOf(() => {}, logo)).toHaveLength(1)
  expect(() => readConfig({ KIST_DATA_DIR: directory, KIST_BRAND_DIR: '/nowhere' })).toThrow(ConfigError)
})

it('only has colours of the stylesheet', () => {
  const tokens = readFileSync(join(import.meta.dirname, '../../web/ui/tokens.css'), 'utf8')
  expect(brandColours.filter((name) => !tokens.includes(`--${name}:`))).toEqual([])
})
