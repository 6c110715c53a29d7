import fs from 'node:fs'
import { createRequire } from 'node:module'
const ts = createRequire(process.cwd() + '/package.json')('typescript')
let n = 0
for (const f of process.argv.slice(2)) {
  const text = fs.readFileSync(f, 'utf8'), lines = text.split('\n')
  const seen = new Set()
  const src = ts.createSourceFile(f, text, 99, true)
  const visit = (pos, end) => { for (const c of [...(ts.getLeadingCommentRanges(text, pos) ?? []), ...(ts.getTrailingCommentRanges(text, end) ?? [])]) for (let p = c.pos; p <= c.end; ) { const l = src.getLineAndCharacterOfPosition(p).line; seen.add(l); const next = text.indexOf('\n', p); if (next < 0 || next >= c.end) break; p = next + 1 } }
  const walk = (node) => { visit(node.getFullStart(), node.getEnd()); node.forEachChild(walk); for (const child of node.getChildren()) if (child.kind < ts.SyntaxKind.FirstNode) visit(child.getFullStart(), child.getEnd()) }
  walk(src)
  for (const l of [...seen].sort((a, b) => a - b)) if (lines[l].length > 100) { console.log(`${f}:${l + 1}: ${lines[l].length}`); n++ }
}
console.log(`${n} comment lines over 100 columns`)
