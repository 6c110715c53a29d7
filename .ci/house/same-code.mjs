import fs from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const ts = createRequire(process.cwd() + '/package.json')('typescript')
const base = process.env.BASE ?? 'HEAD'
function tokens(text) {
  const src = ts.createSourceFile('a.ts', text, 99, true), out = []
  const walk = (n) => { if (n.getChildCount(src) === 0) { const t = n.getText(src); if (t && n.kind !== ts.SyntaxKind.EndOfFileToken) out.push(t) } else n.getChildren(src).forEach((c) => { if (c.kind !== ts.SyntaxKind.JSDoc) walk(c) }) }
  walk(src)
  // trailing commas are the formatter's
  return out.filter((t, i) => !(t === ',' && [')', ']', '}'].includes(out[i + 1])))
}
for (const f of process.argv.slice(2)) {
  let old; try { old = execFileSync('git', ['show', `${base}:${f.replace('/work/main/', '')}`], { cwd: '/work/main', encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore'] }) } catch { console.log(`${f}: new`); continue }
  const a = tokens(old), b = tokens(fs.readFileSync(f, 'utf8'))
  fs.writeFileSync('/tmp/a.' + process.pid, a.join('\n') + '\n'); fs.writeFileSync('/tmp/b.' + process.pid, b.join('\n') + '\n')
  try { execFileSync('diff', ['-d', '/tmp/a.' + process.pid, '/tmp/b.' + process.pid]) } catch (e) { console.log(`== ${f}\n${e.stdout}`) }
}
for (const x of 'ab') fs.rmSync(`/tmp/${x}.${process.pid}`, { force: true })
