// Usage: node move.mjs moves.tsv   rows: file<TAB>old<TAB>new  (new may be a folder ending in /). Fixes imports and new URL('…', import.meta.url).
import fs from 'node:fs'
import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const rows = process.argv.slice(2).flatMap((f) => fs.readFileSync(f, 'utf8').split('\n')).map((l) => l.trim().split('\t')).filter((r) => r[0] === 'file')
const moves = new Map()
for (const [, a, b] of rows) {
  if (!fs.existsSync(a)) { console.log('missing', a); continue }
  const to = b.endsWith('/') ? b + path.basename(a) : b
  if (fs.existsSync(to) && !rows.some((r) => r[1] === to)) { console.log('exists', to); continue }
  moves.set(path.resolve(a), path.resolve(to))
}
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => f && fs.existsSync(f))
const all = new Set(tracked.map((f) => path.resolve(f)))
const find = (from, spec) => {
  const p = path.resolve(path.dirname(from), spec)
  for (const c of [p, p.replace(/\.js$/, '.ts'), p.replace(/\.mjs$/, '.mts')]) if (all.has(c)) return c
}
const contents = new Map()
for (const f of tracked.filter((f) => /\.(ts|mjs|cjs|mts|js)$/.test(f))) {
  const abs = path.resolve(f), text = fs.readFileSync(abs, 'utf8')
  const src = ts.createSourceFile(f, text, 99, true)
  const out = []
  const newSelf = moves.get(abs) ?? abs
  const fix = (lit) => {
    const spec = lit.text
    if (!/^\.\.?(\/|$)/.test(spec)) return
    const t = find(abs, spec)
    let to
    if (t) to = moves.get(t) ?? t
    else if (newSelf !== abs) { to = path.resolve(path.dirname(abs), spec) } else return
    let rel = path.relative(path.dirname(newSelf), to)
    if (!rel.startsWith('.')) rel = './' + rel
    if (t && spec.endsWith('.js') && rel.endsWith('.ts')) rel = rel.replace(/\.ts$/, '.js')
    if (spec.endsWith('/') && !rel.endsWith('/')) rel += '/'
    if (rel !== spec) out.push([lit.getStart(src) + 1, lit.getEnd() - 1, rel])
  }
  const walk = (n) => {
    if ((ts.isImportDeclaration(n) || ts.isExportDeclaration(n)) && n.moduleSpecifier) fix(n.moduleSpecifier)
    else if (ts.isCallExpression(n) && n.expression.kind === ts.SyntaxKind.ImportKeyword && ts.isStringLiteral(n.arguments[0])) fix(n.arguments[0])
    else if (ts.isImportTypeNode(n) && ts.isLiteralTypeNode(n.argument)) fix(n.argument.literal)
    else if (ts.isNewExpression(n) && n.expression.getText(src) === 'URL' && n.arguments?.length === 2 && ts.isStringLiteral(n.arguments[0]) && n.arguments[1].getText(src) === 'import.meta.url') fix(n.arguments[0])
    n.forEachChild(walk)
  }
  walk(src)
  let t = text
  for (const [a, b, s] of out.sort((x, y) => y[0] - x[0])) t = t.slice(0, a) + s + t.slice(b)
  contents.set(abs, [text, t])
}
for (const [abs, [a, b]] of contents) if (a !== b) fs.writeFileSync(abs, b)
for (const [a, b] of moves) { fs.mkdirSync(path.dirname(b), { recursive: true }); try { execFileSync('git', ['mv', '-f', a, b], { stdio: 'pipe' }) } catch { fs.renameSync(a, b) } }
// paths written as text
const texts = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => f && fs.existsSync(f) && /\.(ts|mjs|cjs|json|md|sh|yaml|yml)$|run$|Procfile/.test(f) && f !== 'package-lock.json' && f !== 'docs/openapi.json')
let n = 0
for (const f of texts) {
  let t = fs.readFileSync(f, 'utf8'); const before = t
  for (const [a, b] of moves) { const ra = path.relative(root, a), rb = path.relative(root, b); t = t.split(ra).join(rb); const ja = ra.replace(/\.ts$/, '.js'), jb = rb.replace(/\.ts$/, '.js'); if (ja !== ra) t = t.split(ja).join(jb) }
  if (t !== before) { fs.writeFileSync(f, t); n++ }
}
console.log(`${moves.size} files moved, ${n} texts changed`)
