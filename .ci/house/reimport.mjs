// Points imports of names to the files that now export them. Usage: node reimport.mjs rows.tsv   rows: from<TAB>name<TAB>to  (paths from the root)
import fs from 'node:fs'
import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const rows = fs.readFileSync(process.argv[2], 'utf8').split('\n').map((l) => l.trim().split('\t')).filter((r) => r.length === 3)
const map = new Map(rows.map(([f, n, t]) => [`${path.resolve(f)}#${n}`, path.resolve(t)]))
const froms = new Set(rows.map(([f]) => path.resolve(f)))
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => f && fs.existsSync(f))
let n = 0
for (const f of files) {
  const abs = path.resolve(f), text = fs.readFileSync(f, 'utf8')
  const src = ts.createSourceFile(f, text, 99, true), out = []
  for (const st of src.statements) {
    if (!(ts.isImportDeclaration(st) || ts.isExportDeclaration(st)) || !st.moduleSpecifier) continue
    const spec = st.moduleSpecifier.text
    if (!spec.startsWith('.')) continue
    const target = path.resolve(path.dirname(abs), spec.replace(/\.js$/, '.ts'))
    if (!froms.has(target)) continue
    const named = ts.isImportDeclaration(st) ? st.importClause?.namedBindings : st.exportClause
    if (!named || !(ts.isNamedImports(named) || ts.isNamedExports(named))) { console.log('by hand:', f, st.getText(src).slice(0, 80)); continue }
    const groups = new Map()
    const typeOnly = ts.isImportDeclaration(st) ? st.importClause.isTypeOnly : st.isTypeOnly
    for (const e of named.elements) { const name = (e.propertyName ?? e.name).text; const to = map.get(`${target}#${name}`) ?? target; if (!groups.has(to)) groups.set(to, []); groups.get(to).push(e.getText(src)) }
    const word = ts.isImportDeclaration(st) ? 'import' : 'export'
    const parts = []
    for (const [to, els] of groups) {
      if (to === abs) continue
      let rel = path.relative(path.dirname(abs), to).replace(/\.ts$/, '.js'); if (!rel.startsWith('.')) rel = './' + rel
      parts.push(`${word} ${typeOnly ? 'type ' : ''}{ ${els.join(', ')} } from '${rel}';`)
    }
    const s = parts.join('\n')
    if (s !== st.getText(src)) out.push([st.getStart(src), st.getEnd(), s])
  }
  if (!out.length) continue
  let t = text
  for (const [a, b, s] of out.sort((x, y) => y[0] - x[0])) t = t.slice(0, a) + s + t.slice(b)
  fs.writeFileSync(f, t); n++
}
console.log(`${n} files`)
