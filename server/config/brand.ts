import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Settings } from './settings.ts'

/** The address under which the server shows the lender's logo. */
export const brandLogoPath = '/brand/logo.svg'

/** The colours of web/ui/tokens.css that are a lender's to choose; the others mean something (late, paid) or are made to be read on. */
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
const contact = { phone: z.optional(z.string()), email: z.optional(z.string()) }
/** brand.json of a lender's folder; everything in it is optional, and a setting of the environment stands above it. */
const brandFile = z.strictObject({
  name: z.optional(z.string()),
  lender: z.optional(z.string()),
  lender_address: z.optional(z.string()),
  lender_gstin: z.optional(z.string()),
  default_language: z.optional(z.enum(['en', 'hi'])),
  detect_language: z.optional(z.boolean()),
  support: z.optional(z.strictObject({ ...contact, hours: z.optional(z.string()) })),
  grievance_officer: z.optional(z.strictObject({ ...contact, name: z.optional(z.string()) })),
  security_contact: z.optional(z.string()),
  colours: z.optional(z.strictObject({ light: z.optional(colours), dark: z.optional(colours) })),
})

export type Brand = {
  /** What the folder says, as settings. */
  settings: Partial<Record<keyof Settings, string>>
  colours: { light: Partial<Record<BrandColour, string>>; dark: Partial<Record<BrandColour, string>> } | null
  /** The logo's file; null: the name is set in type. */
  logo: string | null
  /** The folder of the icons; null: Kist's own. */
  icons: string | null
  /** Why the folder cannot be used. */
  faults: string[]
}

/** What a browser shows for the portal: in its tab, on the home screen, while the installed portal opens. The PNGs are squares of so many pixels. */
export const brandIcons = { 'favicon.svg': null, '180.png': 180, '192.png': 192, '512.png': 512, 'maskable-512.png': 512 } as const

/** The spine of web/ui/tokens.css: the browser's bar and the installed portal's first picture have it too. */
const kistSpine = '#0a3a44'

/** The colour of the browser's bar and of the splash. */
export const spineOf = ({ colours: chosen }: Brand): string => chosen?.light['surface-spine'] ?? kistSpine

const noBrand: Brand = { settings: {}, colours: null, logo: null, icons: null, faults: [] }

/** Reads a lender's folder: `brand.json`, and `logo.svg` where there is one. All that is wrong with it is told at once. */
export function readBrand(directory: string | undefined): Brand {
  if (!directory) return noBrand
  const faultsOnly = (faults: string[]): Brand => ({ ...noBrand, faults: faults.map((fault) => `KIST_BRAND_DIR: ${fault}`) })
  let json: unknown
  try {
    json = JSON.parse(readFileSync(join(directory, 'brand.json'), 'utf8'))
  } catch (error) {
    return faultsOnly([`${join(directory, 'brand.json')} cannot be read: ${(error as Error).message}`])
  }
  const parsed = brandFile.safeParse(json)
  if (!parsed.success) return faultsOnly(parsed.error.issues.map((issue) => `brand.json: ${tell(issue)}`))
  const { colours: given, ...words } = parsed.data
  const logo = join(directory, 'logo.svg')
  const chosen = given ? { light: given.light ?? {}, dark: given.dark ?? {} } : null
  const icons = existsSync(join(directory, 'icons')) ? join(directory, 'icons') : null
  const faults = [
    ...(chosen ? unreadable(chosen) : []),
    ...(existsSync(logo) ? faultsOfLogo(readFileSync(logo, 'utf8')) : []),
    ...(icons === null ? [] : faultsOfIcons(icons)),
  ]
  if (faults.length > 0) return faultsOnly(faults)
  return { settings: settingsOf(words), colours: chosen, logo: existsSync(logo) ? logo : null, icons, faults: [] }
}

/** All of them or none: half a set would show two brands. */
const faultsOfIcons = (icons: string): string[] =>
  Object.entries(brandIcons).flatMap(([name, size]) => {
    const file = join(icons, name)
    if (!existsSync(file)) return [`icons/${name} is missing: ${Object.keys(brandIcons).join(', ')} belong together`]
    if (size === null) return faultsOfLogo(readFileSync(file, 'utf8')).map((fault) => fault.replace('logo.svg', `icons/${name}`))
    const png = readFileSync(file)
    // A PNG tells its width and height behind its signature and the head of its first chunk.
    const isRight = png.length > 24 && png.readUInt32BE(0) === 0x89504e47 && png.readUInt32BE(16) === size && png.readUInt32BE(20) === size
    return isRight ? [] : [`icons/${name} must be a PNG of ${size} by ${size} pixels`]
  })

/** Above the kit's own colours wherever those come in later, for both themes. */
export function styleOf({ light, dark }: NonNullable<Brand['colours']>): string {
  const declarations = (chosen: Partial<Record<BrandColour, string>>) =>
    Object.entries(chosen)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';')
  return [
    `:root:root{${declarations(light)}}`,
    // Dark twice, as in tokens.css.
    `@media screen and (prefers-color-scheme:dark){:root:root:not([data-theme='light']){${declarations(dark)}}}`,
    `@media screen{:root:root[data-theme='dark']{${declarations(dark)}}}`,
  ].join('')
}

function tell(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.') || 'it'
  return issue.code === 'unrecognized_keys'
    ? `${place} may not have ${issue.keys.join(', ')}`
    : `${place} ${issue.message === 'Invalid input' ? 'is not valid' : issue.message}`
}

function settingsOf(words: Omit<z.output<typeof brandFile>, 'colours'>): Brand['settings'] {
  const all: Partial<Record<keyof Settings, string | undefined>> = {
    KIST_BRAND: words.name,
    KIST_LENDER: words.lender,
    KIST_LENDER_ADDRESS: words.lender_address,
    KIST_LENDER_GSTIN: words.lender_gstin,
    KIST_DEFAULT_LANGUAGE: words.default_language,
    KIST_DETECT_LANGUAGE: words.detect_language?.toString(),
    KIST_SUPPORT_PHONE: words.support?.phone,
    KIST_SUPPORT_EMAIL: words.support?.email,
    KIST_SUPPORT_HOURS: words.support?.hours,
    KIST_GRIEVANCE_NAME: words.grievance_officer?.name,
    KIST_GRIEVANCE_PHONE: words.grievance_officer?.phone,
    KIST_GRIEVANCE_EMAIL: words.grievance_officer?.email,
    KIST_SECURITY_CONTACT: words.security_contact,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value))
}

/** It is shown as a picture, where nothing in it can run; what would reach out or run elsewhere is refused all the same. */
function faultsOfLogo(svg: string): string[] {
  if (!/<svg[\s>]/.test(svg)) return ['logo.svg is no SVG']
  return /<script|<foreignObject|\son\w+\s*=|javascript:|(?:href|src)\s*=\s*["']?(?!#|data:image)/i.test(svg)
    ? ['logo.svg has a script or an address in it']
    : []
}

const contrastMin = 4.5
/** What is read on what, by theme; the plain surfaces are those of web/ui/tokens.css. */
const surfaces = { light: '#ffffff', dark: '#172220' }
const pairs: readonly [BrandColour, BrandColour][] = [
  ['brand-contrast', 'brand'],
  ['brand-contrast', 'brand-hover'],
  ['brand-on-soft', 'brand-soft'],
  ['on-spine', 'surface-spine'],
  ['on-spine-muted', 'surface-spine'],
]

/** Colours that people could not read: WCAG 2.2 asks for 4.5 to 1. A pair of which only one is chosen is the kit's own concern. */
function unreadable(chosen: NonNullable<Brand['colours']>): string[] {
  return (['light', 'dark'] as const).flatMap((theme) => {
    const of = chosen[theme]
    const tooFaint = pairs.filter(([ink, ground]) => {
      const [one, other] = [of[ink], of[ground]]
      return one !== undefined && other !== undefined && contrast(one, other) < contrastMin
    })
    return [
      ...tooFaint.map(([ink, ground]) => `colours.${theme}: ${ink} on ${ground} has a contrast below ${contrastMin} to 1`),
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
