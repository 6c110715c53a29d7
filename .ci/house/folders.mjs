// Folder cycles: strongly connected components of folders (own files only), and file counts. FROM/TO/WHY list edges.
import fs from 'node:fs'
import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => f && fs.existsSync(f))
const set = new Set(files), edges = new Map(), why = []
for (const f of files) {
  const info = ts.preProcessFile(fs.readFileSync(f, 'utf8'), true, true)
  for (const { fileName } of info.importedFiles) {
    if (!fileName.startsWith('.')) continue
    const p = path.join(path.dirname(f), fileName.replace(/\.js$/, '.ts'))
    if (!set.has(p)) continue
    const a = path.dirname(f), b = path.dirname(p)
    if (a === b) continue
    if (!edges.has(a)) edges.set(a, new Map())
    edges.get(a).set(b, (edges.get(a).get(b) ?? 0) + 1)
    why.push([a, b, f, p])
  }
}
const { FROM, TO } = process.env
if (FROM || TO) { for (const [a, b, f, p] of why) if ((!FROM || a === FROM || a.startsWith(FROM + '/')) && (!TO || b === TO || b.startsWith(TO + '/'))) console.log(`${f} -> ${p}`); process.exit() }
const dirs = [...new Set(files.map((f) => path.dirname(f)))]
const index = new Map(), low = new Map(), stack = [], on = new Set(), sccs = []
let i = 0
const visit = (v) => { index.set(v, i); low.set(v, i++); stack.push(v); on.add(v); for (const w of edges.get(v)?.keys() ?? []) { if (!index.has(w)) { visit(w); low.set(v, Math.min(low.get(v), low.get(w))) } else if (on.has(w)) low.set(v, Math.min(low.get(v), index.get(w))) } if (low.get(v) === index.get(v)) { const c = []; let w; do { w = stack.pop(); on.delete(w); c.push(w) } while (w !== v); if (c.length > 1) sccs.push(c) } }
for (const d of dirs) if (!index.has(d)) visit(d)
for (const c of sccs) { console.log(`cycle of ${c.length}:`); for (const a of c.sort()) console.log(`  ${a} -> ${[...edges.get(a)].filter(([b]) => c.includes(b)).map(([b, n]) => `${b}(${n})`).join(' ')}`) }
const count = new Map(); for (const f of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => f && fs.existsSync(f))) count.set(path.dirname(f), (count.get(path.dirname(f)) ?? 0) + 1)
console.log([...count].filter(([, n]) => n > 15).map(([d, n]) => `${d} ${n}`).join('\n'))
