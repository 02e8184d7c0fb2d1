import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Holidays } from '#domain/autopay-times.ts'
import { readBankHolidays } from './bank-holidays.ts'
import { completeLender, lenderFields, type Lender } from './lender.ts'

/** The path of the lender's logo. */
export const brandLogoPath = '/brand/logo.svg'

/**
 * The colours of web/ui/tokens.css that a lender may set; the others carry a meaning (late, paid)
 * or guarantee contrast.
 */
export const brandColours = [
  'brand',
  'brand-hover',
  'brand-contrast',
  'brand-soft',
  'brand-on-soft',
  'surface-spine',
  'surface-spine-active',
  'on-spine',
  'on-spine-muted',
  'spine-mark',
  'spine-bar',
  'spine-bar-left',
  'chart-paid',
  'chart-left',
  'chart-cap',
] as const
type BrandColour = (typeof brandColours)[number]

const colours = z.partialRecord(z.enum(brandColours), z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a colour like #00606f')))
/** The brand.json of a lender's folder. All fields are optional. */
const brandFile = z.strictObject({
  ...lenderFields,
  colours: z.optional(z.strictObject({ light: z.optional(colours), dark: z.optional(colours) })),
})

export type Brand = {
  lender: Lender
  colours: { light: Partial<Record<BrandColour, string>>; dark: Partial<Record<BrandColour, string>> } | null
  /** The logo's file; null: the name is shown as text. */
  logo: string | null
  /** The icon folder; null: Kist's icons. */
  icons: string | null
  /** The days on which banks are closed, besides weekends. */
  holidays: Holidays
  /** The reasons why the folder is invalid. */
  faults: string[]
}

/**
 * The icons of the browser tab, the home screen and the splash screen, with the side length of each
 * PNG in pixels.
 */
export const brandIcons = { 'favicon.svg': null, '180.png': 180, '192.png': 192, '512.png': 512, 'maskable-512.png': 512 } as const

/**
 * The sidebar colour of web/ui/tokens.css, also used for the browser's toolbar and the splash
 * screen.
 */
const kistSpine = '#0a3a44'

/** The colour of the browser's toolbar and the splash screen. */
export const selectSidebarColour = ({ colours: brandColoursByTheme }: Brand): string =>
  brandColoursByTheme?.light['surface-spine'] ?? kistSpine

const noBrand: Brand = { lender: completeLender({}), colours: null, logo: null, icons: null, holidays: new Set(), faults: [] }

/**
 * Reads a lender's folder: `brand.json`, and `logo.svg`, `icons` and `bank-holidays.json` if
 * present. Reports all faults at once.
 */
export function readBrand(directory: string | undefined): Brand {
  if (!directory) return noBrand
  const withFaults = (faults: string[]): Brand => ({ ...noBrand, faults: faults.map((fault) => `KIST_BRAND_DIR: ${fault}`) })
  let json: unknown
  try {
    json = JSON.parse(readFileSync(join(directory, 'brand.json'), 'utf8'))
  } catch (error) {
    return withFaults([`${join(directory, 'brand.json')} cannot be read: ${(error as Error).message}`])
  }
  const parsed = brandFile.safeParse(json)
  if (!parsed.success) return withFaults(parsed.error.issues.map((issue) => `brand.json: ${describeIssue(issue)}`))
  const { colours: given, ...lender } = parsed.data
  const logo = join(directory, 'logo.svg')
  const brandColoursByTheme = given ? { light: given.light ?? {}, dark: given.dark ?? {} } : null
  const icons = existsSync(join(directory, 'icons')) ? join(directory, 'icons') : null
  const holidays = readBankHolidays(join(directory, 'bank-holidays.json'))
  const faults = [
    ...(brandColoursByTheme ? findContrastFaults(brandColoursByTheme) : []),
    ...(existsSync(logo) ? findLogoFaults(readFileSync(logo, 'utf8')) : []),
    ...(icons === null ? [] : findIconFaults(icons)),
    ...holidays.faults,
  ]
  if (faults.length > 0) return withFaults(faults)
  return {
    lender: completeLender(lender),
    colours: brandColoursByTheme,
    logo: existsSync(logo) ? logo : null,
    icons,
    holidays: holidays.days,
    faults: [],
  }
}

/** Requires all icons or none, because a partial set would show two brands. */
const findIconFaults = (icons: string): string[] =>
  Object.entries(brandIcons).flatMap(([name, size]) => {
    const file = join(icons, name)
    if (!existsSync(file)) return [`icons/${name} is missing: ${Object.keys(brandIcons).join(', ')} belong together`]
    if (size === null) return findLogoFaults(readFileSync(file, 'utf8')).map((fault) => fault.replace('logo.svg', `icons/${name}`))
    const png = readFileSync(file)
    // A PNG has its width and height after the signature and the header of its first chunk.
    const isValid = png.length > 24 && png.readUInt32BE(0) === 0x89504e47 && png.readUInt32BE(16) === size && png.readUInt32BE(20) === size
    return isValid ? [] : [`icons/${name} must be a PNG of ${size} by ${size} pixels`]
  })

/** Overrides the default colours in both themes, wherever their stylesheet is loaded. */
export function buildBrandStyle({ light, dark }: NonNullable<Brand['colours']>): string {
  const declarations = (brandColoursByTheme: Partial<Record<BrandColour, string>>) =>
    Object.entries(brandColoursByTheme)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';')
  return [
    `:root:root{${declarations(light)}}`,
    // By the system's setting and by the reader's choice, as in tokens.css.
    `@media screen and (prefers-color-scheme:dark){:root:root:not([data-theme='light']){${declarations(dark)}}}`,
    `@media screen{:root:root[data-theme='dark']{${declarations(dark)}}}`,
  ].join('')
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.') || 'it'
  return issue.code === 'unrecognized_keys'
    ? `${place} may not have ${issue.keys.join(', ')}`
    : `${place} ${issue.message === 'Invalid input' ? 'is not valid' : issue.message}`
}

/**
 * Refuses scripts and external addresses. The logo is shown as an image, which runs nothing, but it
 * may be opened elsewhere.
 */
function findLogoFaults(svg: string): string[] {
  if (!/<svg[\s>]/.test(svg)) return ['logo.svg is not an SVG']
  return /<script|<foreignObject|\son\w+\s*=|javascript:|(?:href|src)\s*=\s*["']?(?!#|data:image)/i.test(svg)
    ? ['logo.svg contains a script or an address']
    : []
}

const contrastMin = 4.5
/** The text and background pairs to check; the plain surfaces are those of web/ui/tokens.css. */
const surfaces = { light: '#ffffff', dark: '#172220' }
const pairs: readonly [BrandColour, BrandColour][] = [
  ['brand-contrast', 'brand'],
  ['brand-contrast', 'brand-hover'],
  ['brand-on-soft', 'brand-soft'],
  ['on-spine', 'surface-spine'],
  ['on-spine-muted', 'surface-spine'],
]

/**
 * Finds colour pairs with a contrast below 4.5 to 1 (WCAG 2.2). Pairs with only one custom colour
 * are not checked.
 */
function findContrastFaults(brandColoursByTheme: NonNullable<Brand['colours']>): string[] {
  return (['light', 'dark'] as const).flatMap((theme) => {
    const of = brandColoursByTheme[theme]
    const lowContrast = pairs.filter(([foreground, background]) => {
      const [one, other] = [of[foreground], of[background]]
      return one !== undefined && other !== undefined && contrast(one, other) < contrastMin
    })
    return [
      ...lowContrast.map(
        ([foreground, background]) => `colours.${theme}: ${foreground} on ${background} has a contrast below ${contrastMin} to 1`,
      ),
      ...(of.brand !== undefined && contrast(of.brand, surfaces[theme]) < contrastMin
        ? [`colours.${theme}: brand on ${surfaces[theme]} has a contrast below ${contrastMin} to 1`]
        : []),
    ]
  })
}

function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (brighter + 0.05) / (darker + 0.05)
}

/** Relative luminance of sRGB (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
