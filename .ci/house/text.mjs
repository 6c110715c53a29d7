// Replaces old names in comments of code and in Markdown. Usage: node text.mjs all.tsv
import fs from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const ts = createRequire(process.cwd() + '/package.json')('typescript')
const rows = process.argv.slice(2).flatMap((f) => fs.readFileSync(f, 'utf8').split('\n')).map((l) => l.trim().split('\t')).filter((r) => r[0] === 'symbol')
const counts = new Map(); for (const [, , o] of rows) counts.set(o, (counts.get(o) ?? 0) + 1)
const map = new Map(); for (const [, , o, n] of rows) { if (counts.get(o) === 1) map.set(o, n) }
const compound = (w) => /[a-z0-9][A-Z]|_[A-Z]/.test(w)
const fix = (t) => t.replace(/\{@link (\w+)/g, (m, w) => (map.has(w) ? `{@link ${map.get(w)}` : m)).replace(/(?<![\w./-])([A-Za-z_]\w*)(?![\w-]*\.(ts|js|md))/g, (m, w) => (compound(w) && map.has(w) ? map.get(w) : m)).replace(/`(\w+)`/g, (m, w) => (compound(w) && map.has(w) ? `\`${map.get(w)}\`` : m))
let n = 0
for (const f of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n').filter((f) => f && fs.existsSync(f))) {
  if (/\.md$/.test(f)) { const t = fs.readFileSync(f, 'utf8'); const u = t.replace(/`[^`\n]+`/g, (m) => fix(m)); if (u !== t) { fs.writeFileSync(f, u); n++ } }
  else if (/\.(ts|cjs)$/.test(f) && !f.includes('generated') ) {
    const text = fs.readFileSync(f, 'utf8'), src = ts.createSourceFile(f, text, 99, true), ranges = new Map()
    const walk = (node) => { for (const c of [...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []), ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? [])]) ranges.set(c.pos, c.end); node.getChildren(src).forEach(walk) }
    walk(src)
    let out = text
    for (const [a, b] of [...ranges].sort((x, y) => y[0] - x[0])) { const c = text.slice(a, b); if (c.includes('@openapi')) continue; out = out.slice(0, a) + fix(c) + out.slice(b) }
    if (out !== text) { fs.writeFileSync(f, out); n++ }
  }
}
console.log(`${n} texts`)
