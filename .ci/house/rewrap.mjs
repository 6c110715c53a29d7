// Rewraps the comment paragraphs that have a line over 100 columns.
import fs from 'node:fs'
const MAX = 100
for (const f of process.argv.slice(2)) {
  const lines = fs.readFileSync(f, 'utf8').split('\n')
  let i = 0, changed = false
  const parse = (l) => { let m = l.match(/^(\s*)(\/\/ )(\S.*)$/); if (m) return { prefix: m[1] + m[2], next: m[1] + m[2], text: m[3] }; m = l.match(/^(\s*)(\* )(\S.*)$/); if (m) return { prefix: m[1] + m[2], next: m[1] + m[2], text: m[3] }; return undefined }
  while (i < lines.length) {
    let single = lines[i].match(/^(\s*)\/\*\* (.*) \*\/$/)
    if (single && lines[i].length > MAX) { lines.splice(i, 1, `${single[1]}/**`, `${single[1]} * ${single[2]}`, `${single[1]} */`); changed = true; i++; continue }
    const p = parse(lines[i])
    if (!p) { i++; continue }
    let j = i, para = []
    while (j < lines.length) { const q = parse(lines[j]); if (!q || q.prefix !== p.prefix || (j > i && /^(@|- |\d+\. |\||```)/.test(q.text))) break; para.push(q.text); j++ }
    if (lines.slice(i, j).some((l) => l.length > MAX) && !/```|@openapi/.test(para.join(' '))) {
      const words = para.join(' ').split(/\s+/), out = []; let cur = p.prefix
      for (const w of words) { if (cur !== p.prefix && (cur + (cur.endsWith(' ') ? '' : ' ') + w).length > MAX) { out.push(cur.trimEnd()); cur = p.prefix + w } else cur += (cur.endsWith(' ') ? '' : ' ') + w }
      out.push(cur.trimEnd()); lines.splice(i, j - i, ...out); j = i + out.length; changed = true
    }
    i = j
  }
  if (changed) fs.writeFileSync(f, lines.join('\n'))
}
