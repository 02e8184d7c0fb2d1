import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Makes the PDF of a paper given as JSON. The same in both: one version of Typst, one template, the same fonts. */
export type TypstEngine = (paperJson: string) => Uint8Array

/** Where Typst runs: as a native library, some five times faster, or as WebAssembly, which every machine has. */
export const typstBodies = ['native', 'wasm'] as const
export type TypstBody = (typeof typstBodies)[number]

const require = createRequire(import.meta.url)
const template = readFileSync(join(import.meta.dirname, 'paper.typ'), 'utf8')
/** So many documents on, what the compiler remembers of one is forgotten. */
const rememberedMax = 2

const readFonts = (): Buffer[] =>
  ['400Regular', '500Medium', '600SemiBold'].flatMap((weight) =>
    [
      `@expo-google-fonts/noto-sans/${weight}/NotoSans_${weight}.ttf`,
      `@expo-google-fonts/noto-sans-devanagari/${weight}/NotoSansDevanagari_${weight}.ttf`,
    ].map((name) => readFileSync(require.resolve(name))),
  )

/** The native one where its package is installed, which it is only on machines it runs on. */
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
  const native = nativePackages.map(requireIfThere).find((found) => found !== null)
  if (!native) return null
  const compiler = native.NodeCompiler.create({ workspace: import.meta.dirname, fontArgs: [{ fontBlobs: readFonts() }] })
  return (paperJson) => {
    compiler.mapShadow(join(import.meta.dirname, 'paper.json'), Buffer.from(paperJson))
    const compiled = compiler.compile({ mainFileContent: template })
    if (!compiled.result) throw refused(compiled.takeError()?.shortDiagnostics)
    const pdf = compiler.pdf(compiled.result)
    compiler.evictCache(rememberedMax)
    return pdf
  }
}

function requireIfThere(name: string): Native | null {
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
  compiler.add_source('/paper.typ', template)
  return (paperJson) => {
    compiler.map_shadow('/paper.json', Buffer.from(paperJson))
    const compiled = compiler.compile('/paper.typ', null, 'pdf', 2) as { result?: Uint8Array; diagnostics?: unknown }
    compiler.reset()
    if (!compiled.result) throw refused(compiled.diagnostics)
    return compiled.result
  }
}

const refused = (diagnostics: unknown) =>
  new Error(`Typst refused the document: ${JSON.stringify(diagnostics ?? 'no reason given').slice(0, 500)}`)
