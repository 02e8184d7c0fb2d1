import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Renders the PDF of a DocumentContent given as JSON. Both implementations use the same Typst
 * version, template and fonts.
 */
type TypstEngine = (contentJson: string) => Uint8Array

/**
 * The implementations of Typst: a native library, about five times faster, or WebAssembly, which
 * runs everywhere.
 */
export const typstImplementations = ['native', 'wasm'] as const
export type TypstImplementation = (typeof typstImplementations)[number]

const require = createRequire(import.meta.url)
const template = readFileSync(join(import.meta.dirname, 'document.typ'), 'utf8')
/** The compiler evicts a cached document after this many others. */
const cacheAgeMax = 2

const readFonts = (): Buffer[] =>
  ['400Regular', '500Medium', '600SemiBold'].flatMap((weight) =>
    [
      `@expo-google-fonts/noto-sans/${weight}/NotoSans_${weight}.ttf`,
      `@expo-google-fonts/noto-sans-devanagari/${weight}/NotoSansDevanagari_${weight}.ttf`,
    ].map((name) => readFileSync(require.resolve(name))),
  )

/** Loads the native engine if its package is installed, otherwise WebAssembly. */
export async function loadEngine(): Promise<TypstEngine> {
  return loadNative() ?? (await loadWasm())
}

type NativeDocument = object
type NativeCompiler = {
  mapShadow(path: string, content: Buffer): void
  compile(of: { mainFileContent: string }): { result: NativeDocument | null; takeError(): { shortDiagnostics: unknown } | null }
  pdf(document: NativeDocument): Buffer
  evictCache(maxAge: number): void
}
type Native = { NodeCompiler: { create(of: { workspace: string; fontArgs: { fontBlobs: Buffer[] }[] }): NativeCompiler } }

const nativePackages = ['@myriaddreamin/typst-ts-node-compiler-linux-x64-gnu', '@myriaddreamin/typst-ts-node-compiler-linux-x64-musl']

export function loadNative(): TypstEngine | null {
  const native = nativePackages.map(requireIfInstalled).find((found) => found !== null)
  if (!native) return null
  const compiler = native.NodeCompiler.create({ workspace: import.meta.dirname, fontArgs: [{ fontBlobs: readFonts() }] })
  return (contentJson) => {
    compiler.mapShadow(join(import.meta.dirname, 'content.json'), Buffer.from(contentJson))
    const compiled = compiler.compile({ mainFileContent: template })
    if (!compiled.result) throw refused(compiled.takeError()?.shortDiagnostics)
    const pdf = compiler.pdf(compiled.result)
    compiler.evictCache(cacheAgeMax)
    return pdf
  }
}

function requireIfInstalled(name: string): Native | null {
  try {
    return require(name) as Native
  } catch {
    return null
  }
}

export async function loadWasm(): Promise<TypstEngine> {
  const { default: init, TypstCompilerBuilder } = await import('@myriaddreamin/typst-ts-web-compiler')
  await init({ module_or_path: readFileSync(require.resolve('@myriaddreamin/typst-ts-web-compiler/wasm')) })
  const builder = new TypstCompilerBuilder()
  builder.set_dummy_access_model()
  for (const font of readFonts()) await builder.add_raw_font(font)
  const compiler = await builder.build()
  compiler.add_source('/document.typ', template)
  return (contentJson) => {
    compiler.map_shadow('/content.json', Buffer.from(contentJson))
    const compiled = compiler.compile('/document.typ', null, 'pdf', 2) as { result?: Uint8Array; diagnostics?: unknown }
    compiler.reset()
    if (!compiled.result) throw refused(compiled.diagnostics)
    return compiled.result
  }
}

const refused = (diagnostics: unknown) =>
  new Error(`Typst refused the document: ${JSON.stringify(diagnostics ?? 'no reason given').slice(0, 500)}`)
